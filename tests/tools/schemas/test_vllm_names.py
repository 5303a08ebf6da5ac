"""What is read from the source of a vLLM release besides its arguments."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from tools.schemas import digests, vllm_names
from tools.schemas.release import Release
from tools.schemas.stretches import histories
from tools.schemas.vllm_batch_defaults import tiers_of
from tools.schemas.vllm_config_keys import keys_of
from tools.schemas.vllm_metric_names import metrics_of
from tools.schemas.vllm_names import changes, table
from tools.schemas.vllm_variables import variables_of


def release(**files: str) -> Release:
    paths = {path.replace("__", "/") + ".py": dedent(text) for path, text in files.items()}
    return Release("vllm", "9.0.0", "vllm-9.0.0.tar.gz", "0" * 64, paths)


def test_variables_are_the_declared_ones_and_those_read_elsewhere() -> None:
    found = variables_of(
        release(
            vllm__envs="""
                if TYPE_CHECKING:
                    VLLM_PORT: int | None = None
                    VLLM_MODE: Literal["a"] = "a"
                environment_variables: dict[str, Any] = {
                    "VLLM_PORT": lambda: int(os.getenv("VLLM_PORT", "0")),
                    "VLLM_MODE": env_with_choices("VLLM_MODE", "a", ["a", "b"]),
                    "VLLM_OPS": env_list_with_choices("VLLM_OPS", [], ["x"], case_sensitive=True),
                    "CUDA_HOME": lambda: os.environ.get("CUDA_HOME"),
                }
            """,
            vllm__kernel="""
                import os
                fast = os.environ["VLLM_FAST"]
                if "VLLM_SLOW" in os.environ or os.getenv("OTHER"):
                    pass
            """,
        )
    )
    assert found == {
        "VLLM_FAST": {},
        "VLLM_SLOW": {},
        "VLLM_PORT": {"declared": True, "kind": "int"},
        "VLLM_MODE": {"declared": True, "choices": ["a", "b"], "any_case": True},
        "VLLM_OPS": {"declared": True, "choices": ["x"], "several": True},
        "CUDA_HOME": {"declared": True},
    }


def test_metrics_are_found_in_calls_tables_and_loops() -> None:
    found = metrics_of(
        release(
            vllm__v1__loggers="""
                NAME = "vllm:named"
                class Logger:
                    def __init__(self):
                        self.a = self._gauge_cls(name="vllm:running", documentation="")
                        self.b = Counter(name="vllm:tokens_total", documentation="")
                        self.c = Histogram("vllm:iteration_tokens_total", "")
                        self.d = Gauge(name=NAME)
                        if self.show_hidden_metrics:
                            self.e = Gauge(name="vllm:old")
                        self.text = "vllm: not a name"
            """,
            vllm__v1__spec="""
                class Spec:
                    def __init__(self):
                        for name, doc in [("vllm:drafts", "")]:
                            self._counter_cls(name=name, documentation=doc)
            """,
            vllm__distributed__offload="""
                class Names:
                    LOADED = "vllm:loaded"
                def definitions():
                    return {Names.LOADED: CounterMetadata(documentation="")}
            """,
            vllm__config__compilation='splitting = ["vllm:unified_attention"]',
        )
    )
    assert found == {
        "vllm:running": {"kind": "gauge"},
        "vllm:tokens": {"kind": "counter"},
        "vllm:iteration_tokens_total": {"kind": "histogram"},
        "vllm:named": {"kind": "gauge"},
        "vllm:old": {"kind": "gauge", "hidden": True},
        "vllm:drafts": {"kind": "counter"},
        "vllm:loaded": {"kind": "counter"},
    }


def test_keys_are_the_fields_that_a_user_may_set_however_deep() -> None:
    found = keys_of(
        release(
            vllm__engine__arg_utils="def get_kwargs(cls): ...",
            vllm__config__outer="""
                from typing import ClassVar, Literal
                from pydantic import Field
                from vllm.config.inner import InnerConfig
                from vllm.config.utils import config
                @config
                class OuterConfig:
                    size: int = Field(default=1, ge=1)
                    mode: Literal["b", "a"] = "a"
                    inner: InnerConfig = Field(default_factory=InnerConfig)
                    made: int = field(default=0, init=False)
                    kept: ClassVar[int] = 1
                    _own: int = 0
            """,
            vllm__config__inner="""
                from vllm.config.utils import config
                @config
                class InnerConfig:
                    on: bool = True
            """,
            vllm__config__utils="def config(cls): ...",
        ),
        {"outer": {"json_of": "OuterConfig"}, "other": {}},
    )
    assert found == {
        "InnerConfig.on": {"kind": "bool"},
        "OuterConfig.inner": {"kind": "json", "json_of": "InnerConfig"},
        "OuterConfig.mode": {"kind": "str", "choices": ["a", "b"]},
        "OuterConfig.size": {"kind": "int", "bounds": {"ge": 1}},
    }


BATCH = """
    def get_batch_defaults(cls, world_size):
        if device_memory >= 70 * GiB_bytes and {condition}:
            default_max_num_batched_tokens = {{UsageContext.LLM_CLASS: 4, UsageContext.OPENAI_API_SERVER: 2}}
            default_max_num_seqs = 8
        else:
            default_max_num_batched_tokens = {{UsageContext.LLM_CLASS: 2, UsageContext.OPENAI_API_SERVER: 1}}
            default_max_num_seqs = 4
"""


def test_batch_defaults_are_read_as_tiers() -> None:
    large, rest = tiers_of(release(vllm__engine__arg_utils=BATCH.format(condition="'a100' not in device_name")))
    assert large == {
        "memory_gib": 70,
        "not_named": "a100",
        "max_num_batched_tokens": {"offline": 4, "server": 2},
        "max_num_seqs": {"offline": 8, "server": 8},
    }
    assert rest["max_num_seqs"] == {"offline": 4, "server": 4}


def test_condition_that_is_not_understood_is_an_error() -> None:
    with pytest.raises(ValueError, match="not understood: cores > 4"):
        tiers_of(release(vllm__engine__arg_utils=BATCH.format(condition="cores > 4")))


def test_history_keeps_stretches_and_what_changed() -> None:
    said = {"1": {"a": {"k": 1}, "b": {}}, "2": {"a": {"k": 1}}, "3": {"a": {"k": 2}, "b": {}}}
    assert histories(said) == {
        "a": {"in": [["1", None]], "says": [["1", {"k": 1}], ["3", {"k": 2}]]},
        "b": {"in": [["1", "2"], ["3", None]]},
    }


def test_replacement_is_kept_for_a_name_that_is_gone_and_refused_for_another() -> None:
    said: vllm_names.Said = {"1": {"old": {}, "kept": {}}, "2": {"kept": {}}}
    assert table(said, {"old": {"replacement": "kept"}})["old"]["replacement"] == "kept"
    with pytest.raises(ValueError, match="not gone: kept"):
        table(said, {"kept": {"replacement": "x"}})
    with pytest.raises(ValueError, match="not gone: never"):
        table(said, {"never": {"replacement": "x"}})


def test_only_releases_that_changed_the_tiers_are_kept() -> None:
    assert list(changes({"1": [{"a": 1}], "2": [{"a": 1}], "3": [{"a": 2}]})) == ["1", "3"]


def test_file_that_was_changed_or_is_missing_is_named(tmp_path: Path) -> None:
    path = digests.write("folder", "a.json", "{}\n", tmp_path)
    digests.write("folder", "b.json", "{}\n", tmp_path)
    files = ("folder/a.json", "folder/b.json")
    assert digests.problems(files, tmp_path) == []
    path.write_text("[]\n", encoding="utf-8")
    (tmp_path / "folder" / "b.json").unlink()
    changed, missing = digests.problems(files, tmp_path)
    assert changed.startswith("folder/a.json: not as its generator wrote it")
    assert missing == "folder/b.json: missing"


def test_every_generated_file_has_a_date_and_a_source_and_is_as_it_was_written() -> None:
    recorded = json.loads((digests.SCHEMAS / "digests.json").read_text(encoding="utf-8"))["sha256"]
    assert digests.problems(tuple(recorded)) == []
    for file in recorded:
        content = json.loads((digests.SCHEMAS / file).read_text(encoding="utf-8"))
        assert content["date"], file
        assert content["source"], file
        assert content["made_by"].startswith("tools/schemas/"), file


def test_check_passes_and_writing_needs_a_date() -> None:
    assert vllm_names.main(["--check"]) == 0
    with pytest.raises(SystemExit, match="2"):
        vllm_names.main([])
