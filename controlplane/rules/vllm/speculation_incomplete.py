"""Speculative decoding is asked for without what its method needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import Releases, engines_with_tables, is_unset, spelled
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import DeployedEngine
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack

_OWN_WEIGHTS = frozenset({"draft_model", "eagle", "eagle3", "medusa", "mlp_speculator"})
"""Methods that load a second checkpoint in every release that has them."""

_NGRAM = frozenset({"ngram", "[ngram]"})
_NO_DRAFT_MODELS = Releases("0.10.2", "0.15.0")
_ELSEWHERE = ("spec_method", "spec_model", "spec_tokens")


def check(stack: Stack) -> Iterator[Finding]:
    for engine, _ in engines_with_tables(stack):
        config = engine.written("speculative_config")
        value = value_of(config)
        if isinstance(value, dict) and all(is_unset(engine, name) for name in _ELSEWHERE):
            fault = _fault(engine, value)
            if fault is not None:
                flag = spelled(engine, "speculative_config").partition(".")[0]
                fact, remedy = fault
                yield Finding(
                    f"{flag} {fact}, so the engine refuses to start",
                    at=config,
                    otherwise=engine.place,
                    remedy=remedy,
                )


def _fault(engine: DeployedEngine, config: Mapping[str, object]) -> tuple[str, str] | None:
    method, model, tokens = config.get("method"), config.get("model"), config.get("num_speculative_tokens")
    if not (isinstance(method, str | None) and isinstance(model, str | None)):
        return None
    least, most = config.get("prompt_lookup_min"), config.get("prompt_lookup_max")
    if method == "draft_model" and _NO_DRAFT_MODELS.has(engine.version):
        return f"has the method draft_model, which vLLM {engine.version} has not", "Use ngram, eagle or mtp."
    if method in _OWN_WEIGHTS and model is None and tokens is not None:
        return f"has the method {method} and names no model", "Add model, the checkpoint of the draft."
    if (method in _NGRAM or model in _NGRAM) and tokens is None:
        return "has the method ngram and no num_speculative_tokens", "Add num_speculative_tokens, such as 3."
    if isinstance(least, int) and isinstance(most, int) and least > most:
        return f"has prompt_lookup_min {least} above prompt_lookup_max {most}", f"Set the first to {most} or less."
    return None


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The engine makes its speculative configuration before it loads the model, and every method needs its "
    "parts: n-grams the number of tokens, a draft or an EAGLE head its checkpoint.",
    remedy="Complete the configuration as the message says.",
    sources=(
        "vLLM 0.10.2 to 0.33.0, SpeculativeConfig (config/speculative.py)",
        "vLLM 0.10.2 to 0.14.0, engine/arg_utils.py: 'Draft model speculative decoding is not supported yet'",
    ),
    bad=(
        example('- --speculative-config\n- \'{"method": "ngram", "prompt_lookup_max": 4}\'  # fires'),
        example('- --speculative-config\n- \'{"method": "eagle3", "num_speculative_tokens": 3}\'  # fires'),
    ),
    good=(example('- --speculative-config\n- \'{"method": "ngram", "num_speculative_tokens": 3}\''),),
    check=in_every_release(check),
)
