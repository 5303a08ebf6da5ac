"""The command line of a container -> what it says of a vLLM engine, or None when it starts none.

All shapes of plain use are read: `vllm serve MODEL`, the module `vllm.entrypoints.openai.api_server`, arguments
alone for an image whose entrypoint is one of these, wrappers in front (`exec`, `numactl`), and a shell script.
Semantics are those of vLLM's own parser (`vllm/utils/argparse_utils.py`, 0.33): underscores in flags, argparse's
abbreviations, `-tp 8`, `-O2`, `--json.key value`, `--json.list+ a,b`, and of a repeated flag the last one holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from controlplane.stack.engine import ArgumentValue
from controlplane.stack.environment import Environment, expand
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why
from controlplane.stack.shell import script_of, simple_commands
from controlplane.stack.vllm_arguments import arguments_of
from controlplane.stack.vllm_parser import parse
from controlplane.stack.words import Word, texts, word_of

_PYTHON = re.compile(r"python(?:\d+(?:\.\d+)?)?\Z")
_SERVER_MODULE = "vllm.entrypoints.openai.api_server"
_CLI_MODULE = "vllm.entrypoints.cli.main"
_TALKERS = frozenset({"echo", "printf", "grep", "pgrep", "pkill", "which", "pip", "pip3", "curl", "test", "[", "ray"})
"""Programs that have `vllm serve` among their arguments without starting it."""


@dataclass(frozen=True, slots=True)
class EngineCommand:
    """What a command line says. `complete` is False when part of it could not be read."""

    launch: tuple[str, ...]
    model: Fact[str] = ABSENT
    served_model_name: Fact[str] = ABSENT
    arguments: Mapping[str, Fact[ArgumentValue]] = field(default_factory=dict)
    complete: bool = True


def read_command_line(
    command: Sequence[Fact[str]],
    args: Sequence[Fact[str]],
    environment: Environment,
    version: str | None,
    *,
    has_vllm_entrypoint: bool,
) -> EngineCommand | None:
    """The engine that `command` and `args` start; `has_vllm_entrypoint`: the image starts one by itself."""
    words = [expand(word_of(fact), environment) for fact in (*command, *args)]
    script = script_of(words)
    if script is not None:
        return _of_script(simple_commands(script[0], environment, script[1]), version)
    split = _launch(words)
    if split is not None:
        return _engine_command(texts(words[:split]), words[split:], version)
    return _engine_command((), words, version) if has_vllm_entrypoint and not command else None


def _of_script(commands: Sequence[Sequence[Word]], version: str | None) -> EngineCommand | None:
    """The first command of a script that starts an engine, without the wrappers in front of it."""
    for words in commands:
        split = _launch(words)
        if split is not None:
            core = 2 if words[split - 1].text == "serve" and words[split - 2].text != _CLI_MODULE else 3
            return _engine_command(texts(words[max(split - core, 0) : split]), words[split:], version)
    return None


def _launch(words: Sequence[Word]) -> int | None:
    """How many words start the server, wrappers included; None when they start something else."""
    if not words or _program(words[0]) in _TALKERS:
        return None
    has_python = False
    for index, word in enumerate(words):
        following = texts(words[index + 1 : index + 3])
        if _program(word) == "vllm" and following[:1] == ("serve",):
            return index + 2
        if word.text == "-m" and has_python:
            if following[:1] == (_SERVER_MODULE,):
                return index + 2
            if following == (_CLI_MODULE, "serve"):
                return index + 3
        has_python = has_python or bool(_PYTHON.match(_program(word)))
    return None


def _program(word: Word) -> str:
    return word.text.rpartition("/")[2]


def _engine_command(launch: tuple[str, ...], words: Sequence[Word], version: str | None) -> EngineCommand:
    """The engine that a launch and the words behind it describe.

    The model is the first positional argument where the launch takes one; `--model` wins over it, as in vLLM.
    """
    takes_positional = launch[-1:] in ((), ("serve",))
    parsed = parse(words, arguments_of(version))
    arguments = dict(parsed.arguments)
    model = _text(arguments.pop("model", ABSENT))
    if model == ABSENT and takes_positional and parsed.positional:
        model = parsed.positional[0].fact(parsed.positional[0].text)
    if model == ABSENT and not parsed.complete:
        model = Unknown(Why.UNRESOLVED, "the part of the command line that could not be read")
    served, arguments = _served_name(arguments)
    return EngineCommand(launch, model, served, arguments, parsed.complete)


def _served_name(
    arguments: dict[str, Fact[ArgumentValue]],
) -> tuple[Fact[str], dict[str, Fact[ArgumentValue]]]:
    """The name an engine answers to, taken out of the arguments unless it has several, of which it is the first."""
    served = arguments.get("served_model_name", ABSENT)
    if not isinstance(served, Known) or not isinstance(served.value, list):
        return _text(served), _without(arguments, "served_model_name")
    names = served.value
    first = _text(Known(names[0], served.origin)) if names else ABSENT
    return first, arguments if len(names) > 1 else _without(arguments, "served_model_name")


def _without(arguments: dict[str, Fact[ArgumentValue]], name: str) -> dict[str, Fact[ArgumentValue]]:
    return {key: value for key, value in arguments.items() if key != name}


def _text(fact: Fact[ArgumentValue]) -> Fact[str]:
    """A value as a text: a model may be called by a number."""
    if not isinstance(fact, Known):
        return fact  # type: ignore[return-value]  # no value to narrow; OneOf never comes from a command line
    return ABSENT if fact.value is None else Known(str(fact.value), fact.origin)
