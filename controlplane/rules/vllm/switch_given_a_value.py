"""A switch is followed by a word that is meant as its value, which vLLM takes for the model or refuses."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack

_MEANT_AS_VALUES = frozenset({"true", "false", "yes", "no", "on", "off"})


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        for word in _words(engine):
            on = word.value.lower() in ("true", "yes", "on")
            yield Finding(
                f"{word.value} is a word of its own: the switch before it takes no value",
                at=word,
                otherwise=engine.place,
                remedy=f"Take {word.value} out" + ("." if on else ", and write the switch's --no- form."),
            )


def _words(engine: DeployedEngine) -> list[Known[str]]:
    model = engine.engine.model
    found = [*engine.engine.stray, *([model] if isinstance(model, Known) else [])]
    return [word for word in found if word.value.lower() in _MEANT_AS_VALUES]


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Switches of vLLM stand alone (`--enable-prefix-caching`, `--no-enable-prefix-caching`). A `true` "
    "behind one is a word of its own: `vllm serve` takes it for the model's name where there is none yet, and "
    "otherwise the parser ends with `unrecognized arguments: true`.",
    remedy="Write the switch alone, or its --no- form.",
    sources=("vLLM 0.8.5 to 0.33.0, engine/arg_utils.py: argparse.BooleanOptionalAction",),
    bad=(example('- --trust-remote-code\n- "true"  # fires\n- --max-num-seqs=8'),),
    good=(example("- --trust-remote-code\n- --no-enable-prefix-caching"),),
    check=check,
)
