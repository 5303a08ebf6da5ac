"""libyaml's complaints in the words of someone who edits a policy."""

from __future__ import annotations

from typing import Any, Final

import yaml

from controlplane.diagnostics import Edit, RelatedSpan, Remedy, Severity
from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.source.findings import Findings
from controlplane.source.scalars.reader import shorten


@frozen
class _Words:
    """What to say for one of libyaml's problems; `{char}` is the character at the place."""

    message: str
    remedy: str


_PROBLEMS: Final = {
    "mapping values are not allowed in this context": _Words(
        "a colon that would begin a value stands where none can be",
        "Quote the text if the colon belongs to it; otherwise put the key on a line of its own.",
    ),
    "did not find expected key": _Words(
        "the line does not fit the mapping that it stands in: its indentation is another, or a key is missing",
        "Align the line with the keys of its mapping.",
    ),
    "did not find expected '-' indicator": _Words(
        "the line does not fit the list that it stands in", "Begin the item with `- `, aligned with the other items."
    ),
    "block sequence entries are not allowed in this context": _Words(
        "a list item stands where none can be",
        "Put the list on the line below its key, or quote a text that begins with `- `.",
    ),
    "could not find expected ':'": _Words(
        "a key has no colon behind it", "Write `key: value`, with a space behind the colon."
    ),
    "found character that cannot start any token": _Words(
        "a value cannot begin with {char}", "Quote the text that begins with it."
    ),
    "found unexpected end of stream": _Words(
        "the file ends inside a quoted text", "Close the quotes; the related place is where they open."
    ),
    "found unexpected document indicator": _Words(
        "the document ends inside a quoted text", "Close the quotes; the related place is where they open."
    ),
    "did not find expected ',' or ']'": _Words(
        "a list in brackets is not closed, or has no comma between its items", "Add the comma or the `]`."
    ),
    "did not find expected ',' or '}'": _Words(
        "a mapping in braces is not closed, or has no comma between its entries", "Add the comma or the `}`."
    ),
    "did not find expected node content": _Words(
        "a value is missing here", "Write the value, or remove what asks for one."
    ),
    "found unknown escape character": _Words(
        "the backslash in double quotes begins no escape that YAML knows",
        "Write the backslash twice, or use single quotes, in which it has no meaning.",
    ),
    "did not find expected <document start>": _Words(
        "text stands behind the end of the document", "Begin a new document with a line `---`, or indent the text."
    ),
    "found undefined tag handle": _Words("the tag's prefix is defined nowhere", "Remove the tag."),
    "found incompatible YAML document": _Words(
        "the directive %YAML names a version other than 1.1 and 1.2", "Remove the directive."
    ),
}
_TOO_DEEP: Final = "exceeded maximum nesting depth"
_LIBYAML_DEPTH: Final = 1_000
_INDENT = regex(r"[ \t]*")


def syntax_error(findings: Findings, error: yaml.YAMLError, base: int, depth: int) -> int:
    """Note a syntax error and return its index in the file. `depth` is the nesting that is allowed."""
    place = _mark_index(getattr(error, "problem_mark", None), base)
    problem = getattr(error, "problem", None) or str(error).split("\n")[0]
    if place is None:
        place = base
    if problem == _TOO_DEEP:
        _note_too_deep(findings, place, depth)
    elif not _note_tab(findings, place):
        _note_problem(findings, error, problem, place, base)
    return place


def too_many_directives(findings: Findings, count: int, allowed: int, index: int) -> None:
    """More `%` lines than a file needs; libyaml's time grows with their square."""
    findings.add(
        "yaml/too-many-directives",
        Severity.ERROR,
        f"{count:,} lines begin with `%`; {allowed:,} are allowed",
        (index, index + 1),
        remedy=Remedy("Remove the directives; a policy needs none."),
    )


def directive(findings: Findings, text: str, index: int) -> None:
    """A %YAML or %TAG line that changes nothing of how a file is read here."""
    findings.add(
        "yaml/directive",
        Severity.WARNING,
        f"the directive `{shorten(text)}` has no effect on how this file is read",
        (index, index + len(text)),
        remedy=Remedy("Remove the directive."),
    )


def _note_problem(findings: Findings, error: yaml.YAMLError, problem: str, place: int, base: int) -> None:
    words = _PROBLEMS.get(problem, _Words(f"not YAML: {problem}", "Repair the text here or on the lines before."))
    character = findings.text.text[place : place + 1]
    begun = _mark_index(getattr(error, "context_mark", None), base)
    related: tuple[RelatedSpan, ...] = ()
    if begun is not None and begun != place:
        related = (RelatedSpan(findings.text.span(begun, begun + 1), _context(error)),)
    findings.add(
        "yaml/syntax",
        Severity.ERROR,
        words.message.format(char=character),
        (place, min(place + 1, findings.text.line_end(place))),
        remedy=Remedy(words.remedy),
        related=related,
    )


def _context(error: yaml.YAMLError) -> str:
    context = str(getattr(error, "context", None) or "").removeprefix("while ")
    return f"{context} that begins here" if context else "begins here"


def _note_tab(findings: Findings, place: int) -> bool:
    """Whether a tab in the line's indentation is the cause, which libyaml does not say."""
    text = findings.text.text
    start = findings.text.line_start(place)
    match = _INDENT.match(text, start)
    indent = match[0] if match else ""
    if "\t" not in indent:
        return False
    first = start + indent.index("\t")
    tabs = indent.count("\t")
    edit = Edit(findings.text.span(start, start + len(indent)), indent.replace("\t", "  "))
    findings.add(
        "yaml/tab-indentation",
        Severity.ERROR,
        f"the line is indented with {tabs:,} tab{'s' if tabs > 1 else ''}; YAML allows only spaces there",
        (first, first + 1),
        remedy=Remedy("Indent with spaces, two for each level.", (edit,)),
    )
    return True


def _note_too_deep(findings: Findings, place: int, depth: int) -> None:
    allowed = min(depth, _LIBYAML_DEPTH)
    findings.add(
        "yaml/too-deep",
        Severity.ERROR,
        f"more than {_LIBYAML_DEPTH:,} lists and mappings inside each other; {allowed:,} are allowed",
        (place, place + 1),
        remedy=Remedy("Nest less deeply; the rest of this document was not read."),
    )


def _mark_index(mark: Any, base: int) -> int | None:
    return None if mark is None else base + int(mark.index)
