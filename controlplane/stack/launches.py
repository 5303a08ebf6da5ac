"""Where a command line starts vLLM's server: behind wrappers, in a shell script, or in several commands of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.stack.environment import Environment
from controlplane.stack.facts import Known
from controlplane.stack.mounted_files import MountedFiles
from controlplane.stack.shell import Command, commands_of
from controlplane.stack.shell_invocation import is_shell, reads_input, script_file_of, script_of
from controlplane.stack.words import MARK, Word, joined, texts

_PYTHON = regex(r"python(?:\d+(?:\.\d+)?)?\Z")
_SERVER_MODULE = "vllm.entrypoints.openai.api_server"
_CLI_MODULE = "vllm.entrypoints.cli.main"
_TALKERS = frozenset(
    {
        *(
            "echo",
            "printf",
            "grep",
            "pgrep",
            "pkill",
            "which",
            "type",
            "command",
            "test",
            "[",
            "[[",
            "alias",
            "export",
        ),
        *("cat", "tee", "sed", "awk", "cd", "mkdir", "cp", "mv", "rm", "ln", "ls", "read", "source", "."),
        *("pip", "pip3", "apt", "apt-get", "git", "curl", "wget", "hf", "huggingface-cli"),
        *("ray", "kubectl", "ssh", "docker", "podman"),
    }
)
"""Programs that have `vllm serve` or a shell among their arguments without starting it here."""

_DEEPEST = 4
"""Scripts in scripts."""


@frozen
class Launch:
    """One start of the server: the words that start it, and those behind them."""

    start: tuple[str, ...]
    words: tuple[Word, ...]
    conditional: bool = False
    in_background: bool = False


@frozen
class _Container:
    environment: Environment
    files: MountedFiles


def launches_of(words: Sequence[Word], environment: Environment, files: MountedFiles) -> list[Launch]:
    """The starts of the server that the words of a container's command line lead to, in the order of the text."""
    return list(_launches(words, _Container(environment, files), 0))


def _launches(words: Sequence[Word], container: _Container, depth: int) -> Iterator[Launch]:
    script = _script(words, container) if depth < _DEEPEST else None
    if script is not None:
        for command in _commands(script, container):
            yield from _of_command(command, container, depth)
        return
    split = _split(words)
    if split is not None:
        # In a script the wrappers in front are left out: what they are is no setting of the engine.
        core = 2 if words[split - 1].text == "serve" and words[split - 2].text != _CLI_MODULE else 3
        first = max(split - core, 0) if depth else 0
        yield Launch(texts(words[first:split]), tuple(words[split:]))


def _of_command(command: Command, container: _Container, depth: int) -> Iterator[Launch]:
    words: Sequence[Word] = command.words
    if words[0].text == "eval":
        words = [Word("sh"), Word("-c"), _concatenated(words[1:])]
    elif command.here is not None and reads_input(words):
        words = [Word("sh"), Word("-c"), command.here]
    for launch in _launches(words, container, depth + 1):
        yield replace(
            launch,
            conditional=launch.conditional or command.conditional,
            in_background=launch.in_background or command.in_background,
        )


def _concatenated(words: Sequence[Word]) -> Word:
    """What `eval` makes of its words; one word keeps its places."""
    if len(words) == 1:
        return words[0]
    missing = tuple(unknown for word in words for unknown in word.missing)
    origin = joined(words[0].origin, words[-1].origin) if words else None
    return Word(" ".join(texts(words)), origin, missing, verbatim=False)


def _script(words: Sequence[Word], container: _Container) -> tuple[Word, Sequence[Word]] | None:
    """The script that the words run and its parameters, behind wrappers such as `tini --`."""
    for index, word in enumerate(words):
        if _program(word) in _TALKERS:
            return None
        if is_shell(word.text):
            return script_of(words[index:]) or _file(script_file_of(words[index:]), container)
        if index == 0 and (found := _file((word, tuple(words[1:])), container)):
            return found
    return None


def _file(call: tuple[Word, tuple[Word, ...]] | None, container: _Container) -> tuple[Word, Sequence[Word]] | None:
    """The script of a file from a ConfigMap of the same input."""
    if call is None or MARK in call[0].text:
        return None
    text = container.files.find(call[0].text)
    if text is None or not isinstance(text.literal(), Known):
        return None
    return text.word(), call[1]


def _commands(script: tuple[Word, Sequence[Word]], container: _Container) -> list[Command]:
    """The commands of a script; none where nothing in sight names vLLM, which spares reading most scripts."""
    variables = container.environment.values.values()
    named = any("vllm" in word.text for word in (script[0], *script[1], *variables))
    if not named and not container.files.has_any:
        return []
    return commands_of(script[0], container.environment, script[1])


def _split(words: Sequence[Word]) -> int | None:
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
