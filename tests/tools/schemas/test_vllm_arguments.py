"""The generator reads a release from its source alone, and its files agree with their index."""

from __future__ import annotations

import io
import shutil
import tarfile
import zipfile
from pathlib import Path
from textwrap import dedent

import pytest

from tools.schemas import vllm_arguments
from tools.schemas.release import Release, read
from tools.schemas.vllm_history import removals, since
from tools.schemas.vllm_table import Entry, arguments_of

_FILES = {
    "vllm/__init__.py": "",
    "vllm/config/__init__.py": "from vllm.config.cache import *\nfrom .parallel import ParallelConfig\n",
    "vllm/config/cache.py": """
        from typing import Literal, TYPE_CHECKING
        from pydantic import Field
        from vllm.config.utils import config
        if TYPE_CHECKING:
            from vllm.config.names import Methods
        else:
            Methods = str

        CacheDType = Literal["fp8", "auto"]
        DEFAULT = 2**4

        @config
        class CacheConfig:
            '''The cache.'''
            utilization: float = Field(default=0.92, gt=0, le=1)
            dtype: CacheDType = "auto"
            method: Methods | str | None = None
            blocks: int | None = DEFAULT
            '''Blocks.

            Deprecated: it will be removed in v9.9.'''
            caching: bool = True
            seqs: int = Field(128, ge=1)
            tokens: int = 2048
            sizes: list[int] | None = None
            inner: "InnerConfig" = Field(default_factory=InnerConfig)
            extra: dict[str, int] = Field(default_factory=dict)

        @config
        class InnerConfig:
            level: int = 0
    """,
    "vllm/config/names.py": "from typing import Literal\nMethods = Literal['b', 'a']\n",
    "vllm/config/parallel.py": """
        from vllm.config.utils import config
        from enum import Enum

        class Backend(Enum):
            FAST = "fast"
            SLOW = "slow"

        @config
        class ParallelConfig:
            size: int = 1
            backend: Backend = Backend.FAST
    """,
    "vllm/config/utils.py": "def config(cls): ...\ndef get_field(cls, name): ...\n",
    "vllm/engine/arg_utils.py": """
        import argparse, json, sys
        from vllm.config import CacheConfig, ParallelConfig

        def literal_to_kwargs(hints):
            return {"metavar": hints}

        def get_kwargs(cls):
            for name in ():
                if name in ("tokens", "other"):
                    kind = human_readable_int

        class EngineArgs:
            @staticmethod
            def add_cli_args(parser):
                cache = get_kwargs(CacheConfig)
                group = parser.add_argument_group(title="CacheConfig")
                if not ("serve" in sys.argv[1:] and "--help" in sys.argv[1:]):
                    group.add_argument("--utilization", "-u", **cache["utilization"])
                group.add_argument("--kv-dtype", **cache["dtype"])
                group.add_argument("--method", **cache["method"])
                group.add_argument("--blocks", **cache["blocks"])
                group.add_argument("--enable-caching", **cache["caching"])
                group.add_argument("--seqs", **{**cache["seqs"], "default": None})
                group.add_argument("--tokens", **cache["tokens"])
                group.add_argument("--sizes", **cache["sizes"])
                cache["inner"]["type"] = json.loads
                group.add_argument("--inner", **cache["inner"])
                group.add_argument("--extra", **cache["extra"])
                size = get_kwargs(ParallelConfig)["size"]
                parser.add_argument("--size", **size)
                parser.add_argument("--backend", **get_kwargs(ParallelConfig)["backend"])
                for flag in ["--old-one", "--old-two"]:
                    parser.add_argument(flag, action="store_true", help=f"[DEPRECATED] {flag} is old. Gone soon.")
                parser.add_argument("--ids", type=lambda text: text.split(","), default=None)
                return parser
    """,
    "vllm/entrypoints/cli/serve.py": """
        from vllm.engine.arg_utils import EngineArgs, get_kwargs
        from vllm.config.utils import config

        @config
        class BaseArgs:
            host: str | None = None

            @classmethod
            def _customize(cls, table):
                table["host"]["help"] += "more"
                return table

            @classmethod
            def add(cls, parser):
                table = cls._customize(get_kwargs(cls))
                for key, value in table.items():
                    parser.add_argument(f"--{key.replace('_', '-')}", **value)

        @config
        class ServeArgs(BaseArgs):
            allowed_origins: list[str] = []

            @classmethod
            def _customize(cls, table):
                table = super()._customize(table)
                del table["allowed_origins"]["nargs"]
                return table

        class ServeSubcommand:
            def subparser_init(self, subparsers):
                parser = subparsers.add_parser("serve")
                parser.add_argument("model_tag", nargs="?")
                ServeArgs.add(parser)
                return EngineArgs.add_cli_args(parser)
    """,
}


@pytest.fixture(scope="module")
def release() -> Release:
    files = {path: dedent(text) for path, text in _FILES.items()}
    return Release("vllm", "9.0.0", "vllm-9.0.0.tar.gz", "0" * 64, files)


@pytest.fixture(scope="module")
def arguments(release: Release) -> dict[str, Entry]:
    found, undecided = arguments_of(release)
    assert undecided == []
    return found


def test_options_are_found_under_canonical_names_and_positional_arguments_are_not(
    arguments: dict[str, Entry],
) -> None:
    assert list(arguments) == sorted(arguments)
    assert len(arguments) == 17
    assert arguments["kv_dtype"]["flags"] == ["--kv-dtype"]
    assert arguments["utilization"]["flags"] == ["--utilization", "-u"]
    assert "model_tag" not in arguments


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("utilization", {"kind": "float", "default": 0.92, "bounds": {"gt": 0, "le": 1}}),
        ("kv_dtype", {"kind": "enum", "default": "auto", "choices": ["auto", "fp8"], "where": "CacheConfig.dtype"}),
        ("method", {"kind": "str", "default": None, "known": ["a", "b"], "optional": True}),
        ("blocks", {"kind": "int", "default": 16, "optional": True}),
        ("enable_caching", {"kind": "bool", "default": True, "no_flags": ["--no-enable-caching"]}),
        ("tokens", {"kind": "int", "default": 2048, "reader": "human_readable_int"}),
        ("sizes", {"kind": "list", "items": "int", "nargs": "+"}),
        ("inner", {"kind": "json", "default": {"resolved": "InnerConfig with its own defaults"}}),
        ("extra", {"kind": "json", "default": {}}),
        ("backend", {"kind": "str", "default": "fast", "known": ["FAST", "SLOW"]}),
        ("old_two", {"kind": "bool", "default": False, "deprecated": "[DEPRECATED] --old-two is old."}),
        ("ids", {"kind": "list", "items": "str", "separator": ","}),
        ("host", {"kind": "str", "frontend": True, "where": "ServeArgs.host"}),
        ("allowed_origins", {"kind": "str", "default": []}),
    ],
)
def test_argument_is_read_from_its_configuration_field(
    arguments: dict[str, Entry], name: str, expected: dict[str, object]
) -> None:
    assert {key: arguments[name].get(key) for key in expected} == expected


def test_default_that_the_command_line_leaves_unset_is_resolved_later(arguments: dict[str, Entry]) -> None:
    assert arguments["seqs"]["default"] == {
        "resolved": "left unset by the command line; the engine chooses it when it starts"
    }


def test_switch_that_is_only_turned_on_has_no_negation(arguments: dict[str, Entry]) -> None:
    assert "no_flags" not in arguments["old_one"]


def test_inverse_spelling_exists_where_the_release_pairs_enable_with_disable(release: Release) -> None:
    pairing = {"vllm/utils/argparse_utils.py": "class EnableDisableAction: ...\n"}
    paired, _ = arguments_of(Release("vllm", "9.0.1", "", "", {**release.files, **pairing}))
    assert paired["enable_caching"]["no_flags"] == ["--no-enable-caching", "--disable-caching"]


def test_statement_that_cannot_be_followed_is_reported(release: Release) -> None:
    path = "vllm/engine/arg_utils.py"
    changed = release.files[path].replace(
        "    return parser", "    if unknowable():\n            pass\n        return parser"
    )
    _, undecided = arguments_of(Release("vllm", "9.0.2", "", "", {**release.files, path: changed}))
    assert undecided == ["vllm.engine.arg_utils: unknowable()"]


def test_same_release_and_date_give_the_same_bytes(release: Release) -> None:
    first, second = (vllm_arguments.table_text(release, "2026-11-29", arguments_of(release)[0]) for _ in range(2))
    assert first == second
    assert first.count("\n") == 17 + 2


def test_sdist_and_wheel_are_read_alike_without_unpacking(tmp_path: Path) -> None:
    sdist, wheel = tmp_path / "vllm-9.0.0.tar.gz", tmp_path / "vllm-9.0.0-py3-none-any.whl"
    with tarfile.open(sdist, "w:gz") as tar:
        for path in ("vllm-9.0.0/vllm/a.py", "vllm-9.0.0/setup.py", "vllm-9.0.0/vllm/kernel.cu"):
            member = tarfile.TarInfo(path)
            member.size = 5
            tar.addfile(member, io.BytesIO(b"x = 1"))
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("vllm/a.py", "x = 1")
        archive.writestr("vllm/_C.abi3.so", "")
    assert read("vllm", "9.0.0", sdist).files == {"vllm/a.py": "x = 1"}
    assert read("vllm", "9.0.0", wheel).files == {"vllm/a.py": "x = 1"}


def test_committed_tables_agree_with_their_index() -> None:
    assert vllm_arguments.problems(vllm_arguments.FOLDER) == []
    assert vllm_arguments.main(["--check"]) == 0


def test_committed_history_is_what_the_tables_say(tmp_path: Path) -> None:
    copy = tmp_path / "vllm"
    shutil.copytree(vllm_arguments.FOLDER, copy)
    vllm_arguments.write_index(copy)
    for name in ("index.json", "removed.json"):
        assert (copy / name).read_bytes() == (vllm_arguments.FOLDER / name).read_bytes()


def test_every_release_of_the_generator_has_a_table_and_no_other() -> None:
    assert set(vllm_arguments.tables(vllm_arguments.FOLDER)) == set(vllm_arguments.RELEASES)


def test_changed_missing_and_unlisted_files_are_each_named(tmp_path: Path) -> None:
    copy = tmp_path / "vllm"
    shutil.copytree(vllm_arguments.FOLDER, copy)
    (copy / "arguments-0.33.0.json").write_text("{}", encoding="utf-8")
    (copy / "arguments-0.32.0.json").unlink()
    (copy / "arguments-9.9.9.json").write_text("{}", encoding="utf-8")
    missing, unlisted, changed = vllm_arguments.problems(copy)
    assert missing == "arguments-0.32.0.json: listed in index.json but missing"
    assert unlisted == "arguments-9.9.9.json: not listed in index.json"
    assert changed.startswith("arguments-0.33.0.json: sha256")


def test_argument_that_came_back_is_not_gone() -> None:
    entry: dict[str, object] = {"flags": ["--a"]}
    tables = {"1.0.0": {"a": entry, "b": entry}, "1.1.0": {"b": entry}, "1.2.0": {"a": entry}}
    assert since(tables) == {"a": "1.0.0", "b": "1.0.0"}
    gone = removals(tables)
    assert "a" not in gone
    assert gone["b"] == {"flags": ["--a"], "last_in": "1.1.0", "gone_in": "1.2.0"}


def test_writing_needs_a_date() -> None:
    with pytest.raises(SystemExit) as stopped:
        vllm_arguments.main(["0.33.0"])
    assert stopped.value.code == 2
