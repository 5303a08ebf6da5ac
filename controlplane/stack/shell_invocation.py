"""How a shell is started: with a script as an argument, or with the file of one."""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.stack.words import Word

_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh"})


def is_shell(word: str) -> bool:
    """Whether a word starts a shell."""
    return word.rpartition("/")[2] in _SHELLS


def script_of(words: Sequence[Word]) -> tuple[Word, tuple[Word, ...]] | None:
    """The script of `sh -c SCRIPT NAME PARAMETER...` and its parameters; None for any other use of a shell."""
    index = _behind_options(words)
    if index is None or index == 0 or not _gives_script(words[index - 1].text):
        return None
    rest = words[index:]
    return (rest[0], tuple(rest[2:])) if rest else None


def script_file_of(words: Sequence[Word]) -> tuple[Word, tuple[Word, ...]] | None:
    """The file of `sh FILE PARAMETER...` and its parameters; None for any other use of a shell."""
    index = _behind_options(words)
    if index is None or _gives_script(words[index - 1].text) or index >= len(words):
        return None
    return words[index], tuple(words[index + 1 :])


def reads_input(words: Sequence[Word]) -> bool:
    """Whether a shell takes its script from standard input (`bash`, `bash -s`)."""
    index = _behind_options(words)
    return index is not None and not _gives_script(words[index - 1].text) and index >= len(words)


def _behind_options(words: Sequence[Word]) -> int | None:
    """The index behind a shell and its options, or behind `-c`; None where no shell is started."""
    if not words or not is_shell(words[0].text):
        return None
    index = 1
    while index < len(words) and words[index].text.startswith(("-", "+")):
        option = words[index].text
        if _gives_script(option):
            return index + 1
        # `-o pipefail`: the word behind it belongs to the option.
        index += 2 if option.endswith("o") and not option.startswith("--") else 1
    return min(index, len(words))


def _gives_script(option: str) -> bool:
    return option.startswith(("-", "+")) and option.endswith("c") and not option.startswith("--")
