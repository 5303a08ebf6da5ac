"""Faults that people met in the field, in every form that people write an engine in; their repair is silent in each.

The same numbers as a list of words, a whole command, a script, a file of arguments, keywords of Serve LLM, and the
entrypoint of a RayJob.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.rules.judging import findings_of, marked_lines
from tests.rules.written_forms import FORMS, lines_of

_LLAMA = "meta-llama/Llama-3.1-8B-Instruct"
_T4, _3090 = "Tesla-T4", "NVIDIA-GeForce-RTX-3090"
_Case = Mapping[str, object]

_AT_THE_VALUE: dict[str, tuple[str, _Case, _Case]] = {
    "heads that ranks do not divide (vllm#4232)": (
        "vllm/heads-not-divisible",
        {"!tensor_parallel_size": 6, "gpus": 6, "model": _LLAMA},
        {"tensor_parallel_size": 4, "gpus": 4, "model": _LLAMA},
    ),
    "bfloat16 before Ampere (vllm#35720)": (
        "vllm/dtype-unsupported-by-gpu",
        {"!dtype": "bfloat16", "product": _T4},
        {"dtype": "half", "product": _T4},
    ),
    "fp8 KV cache on Ampere (vllm#35720)": (
        "vllm/kv-cache-dtype-unsupported-by-gpu",
        {"!kv_cache_dtype": "fp8", "product": _3090, "version": "0.10.2"},
        {"kv_cache_dtype": "fp8_e5m2", "product": _3090, "version": "0.10.2"},
    ),
    "long prompts before short ones (vllm#57413)": (
        "vllm/long-prompt-blocks-short-ones",
        {"max_model_len": 180000, "!max_num_batched_tokens": 16384},
        {"max_model_len": 180000, "max_num_batched_tokens": 16384, "long_prefill_token_threshold": 4096},
    ),
}

_AT_THE_NAME: dict[str, tuple[_Case, _Case]] = {
    "arguments that went away (kserve#6037)": (
        {"!swap_space": 4, "!num_scheduler_steps": 8, "!guided_decoding_backend": "xgrammar"},
        {"structured_outputs_config.backend": "xgrammar"},
    ),
    "partial prefills (vllm#57413)": ({"!max_num_partial_prefills": 4}, {"long_prefill_token_threshold": 4096}),
}


def _rules(text: str) -> list[tuple[str, int]]:
    return [(finding.rule, finding.span.line) for finding in findings_of(text)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", _AT_THE_VALUE)
def test_value_is_found_where_it_stands_in_every_form(case: str, form: str) -> None:
    rule, bad, good = _AT_THE_VALUE[case]
    text = FORMS[form](bad)
    assert _rules(text) == [(rule, line) for line in lines_of(text, bad)]
    assert _rules(FORMS[form](good)) == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", _AT_THE_NAME)
def test_argument_that_went_away_is_found_at_its_name_in_every_form(case: str, form: str) -> None:
    bad, good = _AT_THE_NAME[case]
    text = FORMS[form](bad)
    values_apart = 1 if form == "pairs" else 0
    assert _rules(text) == [("vllm/argument-removed", line - values_apart) for line in lines_of(text, bad)]
    assert _rules(FORMS[form](good)) == []


@pytest.mark.parametrize("form", FORMS)
def test_drain_longer_than_the_grace_period_is_found_in_every_form(form: str) -> None:
    text = FORMS[form]({"shutdown_timeout": 45, "grace": 30})
    (line,) = [number for number, written in enumerate(text.splitlines(), 1) if "GracePeriod" in written]
    assert _rules(text) == [("kubernetes/grace-period-too-short", line)]
    assert _rules(FORMS[form]({"shutdown_timeout": 45, "grace": 60})) == []


_SERVE = """
apiVersion: ray.io/v1
kind: RayService
metadata: {{name: chat}}
spec:
  serveConfigV2: {block}
    applications:
      - name: chat
        import_path: {path}
        args:
          {listed}
            {item}model_loading_config: {{model_id: chat, model_source: meta-llama/Llama-3.1-8B-Instruct}}
              engine_kwargs: {{{kwargs}}}
              deployment_config: {{{deployment}}}
  rayClusterConfig:
    rayVersion: 2.52.0
    headGroupSpec:
      rayStartParams: {{num-cpus: "0"}}
      template:
        spec:
          containers:
            - name: head
              image: rayproject/ray-llm:2.52.0-py311-cu128
              resources: {{limits: {{cpu: 4, memory: 16Gi}}}}
    workerGroupSpecs:
      - groupName: gpu
        replicas: 1
        minReplicas: 1
        maxReplicas: 1
        template:
          spec:
            containers:
              - name: worker
                image: rayproject/ray-llm:2.52.0-py311-cu128
                resources: {{limits: {{cpu: 32, memory: 256Gi, nvidia.com/gpu: 8}}}}
"""


def _serve(kwargs: str, deployment: str, *, single: bool = False) -> str:
    """A RayService of Serve LLM: the builder of an application of several models, or a deployment of one."""
    return _SERVE.format(
        block="|",
        path="ray.serve.llm:build_llm_deployment" if single else "ray.serve.llm:build_openai_app",
        listed="llm_config:" if single else "llm_configs:",
        item="  " if single else "- ",
        kwargs=kwargs,
        deployment=deployment,
    )


@pytest.mark.parametrize("single", [False, True])
def test_serve_lets_fewer_requests_in_than_the_engine_runs(single: bool) -> None:
    # ray-project/ray#55159: the queue is in Serve, and the engine idles.
    bad = _serve("max_num_seqs: 256", "max_ongoing_requests: 5", single=single)
    (finding,) = findings_of(bad)
    assert finding.rule == "cross/serve-limit-below-engine"
    assert "max_ongoing_requests: 5" in bad.splitlines()[finding.span.line]
    assert _rules(_serve("max_num_seqs: 256", "max_ongoing_requests: 256", single=single)) == []


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize(
    ("rule", "bad", "good"),
    [
        ("vllm/heads-not-divisible", "tensor_parallel_size: 6", "tensor_parallel_size: 4"),
        ("vllm/argument-removed", "num_scheduler_steps: 8", "enable_prefix_caching: true"),
    ],
)
def test_keywords_of_serve_llm_are_judged_like_flags(single: bool, rule: str, bad: str, good: str) -> None:
    text = _serve(bad, "num_replicas: 1", single=single)
    (finding,) = findings_of(text)
    assert (finding.rule, bad in text.splitlines()[finding.span.line]) == (rule, True)
    assert _rules(_serve(good, "num_replicas: 1", single=single)) == []


_JOB = """
apiVersion: ray.io/v1
kind: RayJob
metadata: {{name: offline}}
spec:
  entrypoint: vllm serve meta-llama/Llama-3.1-8B-Instruct --tensor-parallel-size {ranks}{mark}
  rayClusterSpec:
    rayVersion: 2.52.0
    headGroupSpec:
      rayStartParams: {{num-cpus: "0"}}
      template:
        spec:
          containers:
            - name: head
              image: rayproject/ray-llm:2.52.0-py311-cu128
              resources: {{limits: {{cpu: 4, memory: 16Gi}}}}
    workerGroupSpecs:
      - groupName: gpu
        replicas: 2
        minReplicas: 2
        maxReplicas: 2
        template:
          spec:
            containers:
              - name: worker
                image: rayproject/ray-llm:2.52.0-py311-cu128
                resources: {{limits: {{cpu: 32, memory: 256Gi, nvidia.com/gpu: 4}}}}
"""


@pytest.mark.parametrize(("ranks", "rule"), [(6, "vllm/heads-not-divisible"), (16, "cross/parallelism-exceeds-gpus")])
def test_entrypoint_of_a_job_is_judged_against_its_whole_cluster(ranks: int, rule: str) -> None:
    text = _JOB.format(ranks=ranks, mark="  # fires")
    assert _rules(text) == [(rule, line) for line in marked_lines(text)]
    assert _rules(_JOB.format(ranks=8, mark="")) == []
