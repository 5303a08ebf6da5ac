"""The comments in a YAML file that accept findings, read and checked.

    # controlplane: ignore[vllm/flag-removed] the fork still has it
    # controlplane: ignore[vllm/flag-removed, ray/] until 2027-01-31: upgrade planned
    # controlplane: ignore-file[kubernetes/gpu-limit-missing] set by a webhook

A comment on a line of its own counts for the next line that holds anything else, one behind something for its own
line. Where a block scalar or a quoted text of several lines begins there, it counts for all of that. A whole file's
comment stands above everything but comments and `---`. Inside a block scalar or a quoted text of several lines (an
embedded `serveConfigV2`, a shell script) such a comment counts too, but only for findings inside that text; in a
shell script it counts for the whole command that `\\` continues.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

import yaml

from controlplane.diagnostics import Span
from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.source import nearest
from controlplane.source.text import SourceText

FORM = "# controlplane: ignore[family/rule] reason"


@frozen
class Selector:
    """A rule's id, or a family with its slash (`vllm/`)."""

    text: str
    span: Span

    def names(self, rule: str) -> bool:
        """Whether it stands for this rule."""
        return rule.startswith(self.text) if self.text.endswith("/") else rule == self.text


@frozen
class Suppression:
    """A comment that is well formed. `lines` are the first and last line it counts for, both included.

    `removal` is what to cut out to be rid of it, `list_span` the text between its brackets. `quiet` where nobody can
    say that it is of no use: it stands in a text that may not be ours to read.
    """

    selectors: tuple[Selector, ...]
    reason: str
    until: date | None
    lines: tuple[int, int]
    span: Span
    list_span: Span
    removal: Span
    inside_text: bool
    quiet: bool


@frozen
class Malformed:
    """A comment that means to accept findings, and does not say so in a way that can be read."""

    span: Span
    message: str
    remedy: str


Comment = Suppression | Malformed

_CANDIDATE = regex(r"(?:^|(?<=[ \t\r\n]))#[ \t]*controlplane[^\r\n]*", re.MULTILINE)
_OURS = regex(r"#\s*controlplane\s*(?P<colon>:?)\s*(?P<verb>[A-Za-z][\w-]*)\s*(?P<bracket>\[?)", re.IGNORECASE)
_BODY = regex(r"(?P<names>[^\[\]]*)\](?P<rest>.*)", re.DOTALL)
_SELECTOR = regex(r"[a-z0-9-]+/(?:[a-z0-9-]+)?\Z")
_UNTIL = regex(r"until\s+(?P<date>\d\S*?|\S+?(?=:)):?(?=\s|\Z)\s*")
_BEFORE_REASON = " \t-\u2013\u2014:"
_BLANK_OR_COMMENT = regex(r"\s*(?:#.*)?\Z", re.DOTALL)
_NOTHING_YET = regex(r"(?:[ \t]*(?:#[^\r\n]*|%[^\r\n]*|---[ \t]*(?:#[^\r\n]*)?)?(?:\r\n|\n|\r))*[ \t]*\Z")
_READ_BY_US = frozenset({"serveConfigV2", "args", "command", "entrypoint"})
_VERBS = ("ignore", "ignore-file")


def comments(text: str, file: str) -> Iterator[Comment]:
    """Every comment of a file that accepts findings or means to, in the order of the text."""
    text = text.removeprefix("\ufeff")
    found = [match for match in _CANDIDATE.finditer(text) if _is_ours(match[0])]
    if not found:
        return
    reader = _Reader(SourceText(file, text))
    for match in found:
        yield from reader.read(match.start(), match.end())


def _is_ours(comment: str) -> bool:
    """Whether a comment means to accept findings: `# controlplane: true` is someone's label, and not ours."""
    match = _OURS.match(comment)
    if match is None:
        return False
    verb = match["verb"].lower()
    return bool(match["bracket"]) or (bool(match["colon"]) and (verb in _VERBS or nearest(verb, _VERBS) is not None))


@frozen
class _Text:
    """A block scalar or a quoted text of several lines: where it stands, and whether it is one that we read.

    `head` is where its first line ends: what stands behind a block scalar's indicator is a comment of the file.
    """

    start: int
    head: int
    end: int
    read_by_us: bool


class _Reader:
    """Reads the comments of one file. Positions are indices of code points."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._scalars, self._readable_to = _scalars(source)

    def read(self, start: int, end: int) -> Iterator[Comment]:
        """The comment between two indices; nothing where it is only part of a text."""
        around = next((s for s in self._scalars if s[0] <= start < s[1]), None)
        inside = None
        if around is not None:
            inside = around[2]
            if inside is None:
                return
            if start < inside.head:
                inside = None
        parsed = _parse(self._source, start, end)
        if isinstance(parsed, Malformed):
            if inside is None or inside.read_by_us:
                yield parsed
            return
        yield self._placed(parsed, start, inside)

    def _placed(self, parsed: _Parsed, start: int, inside: _Text | None) -> Comment:
        source = self._source
        if parsed.whole_file:
            if inside is not None or not _NOTHING_YET.match(source.text, 0, start):
                return Malformed(
                    parsed.span,
                    "a comment for the whole file stands below the file's beginning",
                    "Move it above the first key, or write ignore[...] for one line.",
                )
            lines = (1, source.position(len(source.text))[0])
        else:
            lines = self._lines(start, inside)
        return Suppression(
            parsed.selectors,
            parsed.reason,
            parsed.until,
            lines,
            parsed.span,
            parsed.list_span,
            _removal(source, start),
            inside is not None,
            (inside is not None and not inside.read_by_us) or start >= self._readable_to,
        )

    def _lines(self, start: int, inside: _Text | None) -> tuple[int, int]:
        """The lines that a comment counts for."""
        source = self._source
        begin = source.line_start(start)
        limit = inside.end if inside is not None else len(source.text)
        if _BLANK_OR_COMMENT.match(source.text, begin, source.line_end(start)):
            begin = _next_content(source, start, limit)
        first = source.position(begin)[0]
        if inside is not None:
            return first, source.position(_continued(source, begin, limit))[0]
        last = source.line_end(begin)
        ends = [s[1] for s in self._scalars if begin <= s[0] < last and s[2] is not None]
        return first, max([first, *(source.position(end)[0] for end in ends)])


def _next_content(source: SourceText, index: int, limit: int) -> int:
    """Start of the next line that holds more than blanks and a comment; `limit` where there is none."""
    while True:
        index = source.line_end(index)
        if index >= limit:
            return limit
        index += 2 if source.text.startswith("\r\n", index) else 1
        if not _BLANK_OR_COMMENT.match(source.text, index, source.line_end(index)):
            return index


def _continued(source: SourceText, index: int, limit: int) -> int:
    """Where the command that begins on the line at `index` ends: a backslash at a line's end goes on."""
    end = source.line_end(index)
    while end < limit and source.text[:end].endswith("\\"):
        end = source.line_end(end + (2 if source.text.startswith("\r\n", end) else 1))
    return end


def _removal(source: SourceText, start: int) -> Span:
    """The whole line where nothing else is on it, else the comment and the blanks before it."""
    begin, end = source.line_start(start), source.line_end(start)
    before = source.text[begin:start]
    if before.strip():
        kept = len(before.rstrip())
        return source.span(begin + kept, end)
    behind = end + (2 if source.text.startswith("\r\n", end) else 1)
    return source.span(begin, min(behind, len(source.text)))


def _scalars(source: SourceText) -> tuple[list[tuple[int, int, _Text | None]], int]:
    """Every scalar's place, with what it is where it has several lines; and up to where the file could be read."""
    found: list[tuple[int, int, _Text | None]] = []
    keys: list[str | None] = []
    reached = 0
    try:
        for event, path in _with_path(source.text, keys):
            reached = event.end_mark.index  # type: ignore[union-attr]
            if isinstance(event, yaml.ScalarEvent):
                found.append(_scalar(source, event, path))
    except yaml.YAMLError:
        return found, reached
    return found, len(source.text) + 1


def _with_path(text: str, keys: list[str | None]) -> Iterator[tuple[yaml.Event, tuple[str | None, ...]]]:
    """Events with the keys above them; `keys` is the stack, None for a sequence and for a key still to come."""
    kinds: list[bool] = []
    # Half of a surrogate pair is no text to libyaml; one character takes its place.
    for event in yaml.parse(text.encode(errors="replace").decode(), Loader=yaml.CSafeLoader):
        is_key = False
        if isinstance(event, yaml.ScalarEvent | yaml.AliasEvent | yaml.CollectionStartEvent) and kinds and kinds[-1]:
            is_key = keys[-1] is None
        yield event, tuple(keys)
        if isinstance(event, yaml.CollectionStartEvent):
            if is_key:
                keys[-1] = ""
            kinds.append(isinstance(event, yaml.MappingStartEvent))
            keys.append(None)
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            kinds.pop()
            keys.pop()
        if isinstance(event, yaml.ScalarEvent | yaml.AliasEvent | yaml.CollectionEndEvent) and kinds and kinds[-1]:
            is_value = keys[-1] is not None
            keys[-1] = None if is_value else getattr(event, "value", "") or ""


def _scalar(
    source: SourceText, event: yaml.ScalarEvent, path: tuple[str | None, ...]
) -> tuple[int, int, _Text | None]:
    start: int = event.start_mark.index  # type: ignore[union-attr]
    end: int = event.end_mark.index  # type: ignore[union-attr]
    block = event.style in ("|", ">")
    if block:
        end = start + len(source.text[start:end].rstrip())
    several = source.position(start)[0] != source.position(end)[0]
    if not several or not (block or event.style in ("'", '"')):
        return start, end, None
    head = source.line_end(start) if block else start
    return start, end, _Text(start, head, end, any(key in _READ_BY_US for key in path))


@frozen
class _Parsed:
    whole_file: bool
    selectors: tuple[Selector, ...]
    reason: str
    until: date | None
    span: Span
    list_span: Span


def _parse(source: SourceText, start: int, end: int) -> _Parsed | Malformed:
    text = source.text[start:end].rstrip()
    span = source.span(start, start + len(text))
    head = _OURS.match(text)
    verb = head["verb"] if head is not None else ""
    if head is None or not head["colon"] or verb not in _VERBS or "controlplane" not in head[0]:
        meant = nearest(verb.lower(), _VERBS) or "ignore"
        written = text[: head.end()].rstrip(" [") if head is not None else text
        return Malformed(span, f"`{written}` accepts no finding", f"Write it as `{FORM.replace('ignore', meant)}`.")
    body = _BODY.match(text, head.end()) if head["bracket"] else None
    if body is None:
        what = "opens a list of rules and does not close it" if head["bracket"] else "names no rules in brackets"
        return Malformed(span, f"the comment {what}, so it accepts no finding", f"Write it as `{FORM}`.")
    selectors = tuple(_selectors(source, start + head.end(), body["names"]))
    fault = _selector_fault(selectors)
    if fault is not None:
        return Malformed(
            span, fault, "Name rules by their ids (vllm/argument-removed), or a family with its slash (vllm/)."
        )
    list_span = source.span(start + body.start("names"), start + body.end("names"))
    return _with_reason(verb == "ignore-file", selectors, body["rest"].strip(_BEFORE_REASON), span, list_span)


def _selectors(source: SourceText, start: int, names: str) -> Iterator[Selector]:
    for match in re.finditer(r"[^,]+|(?<=,)(?=,)|(?<=,)\Z|\A(?=,)|\A\Z", names):
        word = match[0].strip()
        begin = start + match.start() + len(match[0]) - len(match[0].lstrip())
        yield Selector(word, source.span(begin, begin + len(word)))


def _selector_fault(selectors: tuple[Selector, ...]) -> str | None:
    for selector in selectors:
        if not selector.text:
            return "the comment has an empty place in its list of rules, so it accepts no finding"
        if not _SELECTOR.match(selector.text):
            return f"`{selector.text}` is no rule's id and no family, so the comment accepts no finding"
    return None


def _with_reason(
    whole_file: bool, selectors: tuple[Selector, ...], rest: str, span: Span, list_span: Span
) -> _Parsed | Malformed:
    until = None
    dated = _UNTIL.match(rest)
    if dated is not None:
        until = _date(dated["date"].rstrip(":"))
        if until is None or ":" not in dated[0]:
            return Malformed(
                span,
                f"`{dated[0].strip()}` is no date to end on, so the comment accepts no finding",
                "Write `until YYYY-MM-DD: reason`.",
            )
        rest = rest[dated.end() :].strip(_BEFORE_REASON)
    if not re.search(r"\w", rest):
        return Malformed(
            span, "the comment gives no reason, so it accepts no finding", f"Write the reason behind it: `{FORM}`."
        )
    return _Parsed(whole_file, selectors, rest, until, span, list_span)


def _date(text: str) -> date | None:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
