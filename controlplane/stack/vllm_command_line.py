"""The command line of a container -> what it says of the vLLM engines that it starts.

All shapes of plain use are read: `vllm serve MODEL`, the module `vllm.entrypoints.openai.api_server`, arguments
alone for an image whose entrypoint is one of these, wrappers in front (`exec`, `numactl`), and a shell script, also
one from a ConfigMap of the same input. Semantics are those of vLLM's own parser (`vllm/utils/argparse_utils.py`,
0.33): underscores in flags, argparse's abbreviations, `-tp 8`, `-O2`, `--json.key value`, `--json.list+ a,b`, of a
repeated flag the last one holds, and a `--config` file stands in front of all other arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from controlplane.frozen import frozen
from controlplane.stack import vllm_config_file
from controlplane.stack.engine import ArgumentValue, WrittenArgument
from controlplane.stack.environment import Environment, expand
from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why, origin_of
from controlplane.stack.launches import Launch, launches_of
from controlplane.stack.mounted_files import MountedFiles
from controlplane.stack.vllm_arguments import arguments_of
from controlplane.stack.vllm_parser import Parsed, parse
from controlplane.stack.words import Word, word_of

_OTHER_PROGRAM = "omni"
"""`vllm serve --omni` is vLLM-Omni, which starts engines of its own for the stages of a model."""


@frozen
class EngineCommand:
    """What a command line says. `complete` is False when part of it could not be read.

    `alternative`: it is not certain that it runs beside the other engines of its container. `behind_entrypoint`: the
    image starts a server by itself, and these words are given to that.
    """

    launch: tuple[str, ...]
    model: Fact[str] = ABSENT
    served_model_name: Fact[str] = ABSENT
    arguments: Mapping[str, Fact[ArgumentValue]] = field(default_factory=dict)
    complete: bool = True
    written: tuple[WrittenArgument, ...] = field(default=(), compare=False)
    alternative: bool = False
    behind_entrypoint: bool = False
    stray: tuple[Known[str], ...] = field(default=(), compare=False)


@frozen
class CommandContext:
    """What a command line is read with: variables, vLLM's version, files, and what the image starts by itself."""

    environment: Environment = field(default_factory=Environment)
    version: str | None = None
    files: MountedFiles = field(default_factory=MountedFiles)
    has_vllm_entrypoint: bool = False


def read_command_line(
    command: Sequence[Fact[str]],
    args: Sequence[Fact[str]],
    environment: Environment,
    version: str | None,
    *,
    has_vllm_entrypoint: bool,
) -> EngineCommand | None:
    """The first engine that `command` and `args` start; `has_vllm_entrypoint`: the image starts one by itself."""
    around = CommandContext(environment, version, has_vllm_entrypoint=has_vllm_entrypoint)
    found = read_engines([word_of(fact) for fact in command], [word_of(fact) for fact in args], around)
    return found[0] if found else None


def read_engines(command: Sequence[Word], args: Sequence[Word], around: CommandContext) -> tuple[EngineCommand, ...]:
    """All engines that `command` and `args` start, in the order of the text."""
    words = [expand(word, around.environment) for word in (*command, *args)]
    launches = launches_of(words, around.environment, around.files)
    behind_entrypoint = bool(launches) and around.has_vllm_entrypoint and not command
    if not launches and around.has_vllm_entrypoint and not command:
        launches = [Launch((), tuple(words))]
    commands = (made for made in _engine_commands(launches, around) if _OTHER_PROGRAM not in made.arguments)
    return tuple(replace(made, behind_entrypoint=behind_entrypoint) for made in commands)


def _engine_commands(launches: Sequence[Launch], around: CommandContext) -> Iterable[EngineCommand]:
    """Several launches run together only as far as each goes on in the background while the script does."""
    is_behind_another = False
    for launch in launches:
        made = _engine_command(launch.start, launch.words, around)
        yield replace(made, alternative=len(launches) > 1 and (launch.conditional or is_behind_another))
        is_behind_another = is_behind_another or not launch.in_background


def _engine_command(launch: tuple[str, ...], words: Sequence[Word], around: CommandContext) -> EngineCommand:
    """The engine that a launch and the words behind it describe.

    The model is the first positional argument where the launch takes one; `--model` wins over it, as in vLLM.
    """
    takes_positional = launch[-1:] in ((), ("serve",))
    parsed = _with_config(parse(words, arguments_of(around.version)), around)
    arguments = dict(parsed.arguments)
    model = _text(arguments.pop("model", ABSENT))
    if model == ABSENT and takes_positional and parsed.positional:
        model = parsed.positional[0].fact(parsed.positional[0].text)
    if model == ABSENT and not parsed.complete:
        model = Unknown(Why.UNRESOLVED, "the part of the command line that could not be read")
    served, arguments = _served_name(arguments)
    return EngineCommand(
        launch, model, served, arguments, parsed.complete, tuple(parsed.written), stray=tuple(_stray(parsed, model))
    )


def _stray(parsed: Parsed, model: Fact[str]) -> Iterator[Known[str]]:
    """The words that belong to no argument and are not the model."""
    for word in parsed.positional:
        fact = word.fact(word.text)
        if isinstance(fact, Known) and origin_of(fact) is not origin_of(model):
            yield fact


def _with_config(parsed: Parsed, around: CommandContext) -> Parsed:
    """The arguments together with those of the file that `--config` names, where it can be seen."""
    if "config" not in parsed.arguments:
        return parsed
    config = parsed.arguments["config"]
    path = config.value if isinstance(config, Known) else None
    text = around.files.find(path) if isinstance(path, str) else None
    below = vllm_config_file.read(text, arguments_of(around.version)) if text is not None else None
    if below is None:
        return replace(parsed, complete=False)
    merged = {name: fact for name, fact in below.arguments.items() if name not in parsed.arguments}
    return Parsed(
        arguments=merged | parsed.arguments,
        positional=parsed.positional,
        written=[*below.written, *parsed.written],
        complete=parsed.complete and below.complete,
    )


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
