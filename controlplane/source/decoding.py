"""Bytes to text: size, encoding, and characters that have no place in a policy.

Everything here runs before the parser, in time linear in the file's size; the size itself is checked first.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from controlplane.diagnostics import Edit, Remedy, Severity
from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.source.budget import Budget
from controlplane.source.dialect import Dialect
from controlplane.source.findings import Findings
from controlplane.source.text import SourceText

# UTF-32 first: its little-endian mark begins with the one of UTF-16.
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "UTF-32 (little-endian)"),
    (codecs.BOM_UTF32_BE, "UTF-32 (big-endian)"),
    (codecs.BOM_UTF16_LE, "UTF-16 (little-endian)"),
    (codecs.BOM_UTF16_BE, "UTF-16 (big-endian)"),
)
_REPLACEMENT: Final = "\ufffd"
_NUL_SAMPLE: Final = 1_000


@frozen
class _Suspect:
    """Characters that are a finding; `replaced` where the parser would stop at them."""

    pattern: re.Pattern[str]
    rule: str
    what: str
    remedy: str
    strict: bool
    replaced: bool = False


_SUSPECTS: Final = (
    _Suspect(
        regex("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]"),
        "yaml/control-character",
        "a control character, which YAML does not allow",
        'Remove it, or write it as an escape in double quotes, such as "\\x1b".',
        strict=True,
        replaced=True,
    ),
    _Suspect(
        regex("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"),
        "yaml/bidi-control",
        "a control of text direction, which can make a line read otherwise than it is",
        'Remove it, or write it as an escape in double quotes, such as "\\u202e".',
        strict=True,
    ),
    _Suspect(
        regex("[\x85\u2028\u2029]"),
        "yaml/unusual-line-break",
        "a line break in YAML 1.1 and for Kubernetes' reader, but an ordinary character in YAML 1.2 and in editors",
        'Start a new line instead, or write it as an escape in double quotes, such as "\\u2028".',
        strict=True,
    ),
    _Suspect(
        regex("[\u00ad\u180e\u200b\u2060-\u2064\ufeff]"),
        "yaml/invisible-character",
        "invisible, and makes texts differ that look the same",
        "Remove it.",
        strict=False,
    ),
    _Suspect(
        regex("(?:(?<=[\r\n])|^)[ \t]*\u00a0|(?<=:)\u00a0", re.MULTILINE),
        "yaml/invisible-character",
        "a no-break space where YAML wants an ordinary one, so that it becomes part of a text",
        "Put an ordinary space in its place.",
        strict=False,
    ),
)


def decode(data: bytes, file: str, dialect: Dialect, budget: Budget) -> tuple[str | None, Findings]:
    """The text for the parser, or None where there is none to read, and the findings about it.

    The findings' own text is the file as it is; the parser's has characters that would stop it replaced, one by
    one, so that positions agree.
    """
    if len(data) > budget.bytes:
        return None, _refuse_size(len(data), file, budget)
    marked = _byte_order_mark(data)
    if marked is not None:
        return None, _refuse_mark(marked, file, budget)
    body = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        return None, _refuse_encoding(body, error, file, budget)
    findings = Findings(SourceText(file, text), budget.findings)
    return check_text(findings, dialect), findings


def check_text(findings: Findings, dialect: Dialect) -> str | None:
    """The findings' text for the parser, characters that would stop it replaced one by one; None with a NUL in it."""
    text = findings.text.text
    if "\x00" in text:
        _note_nul(text, findings)
        return None
    return _check_characters(text, dialect, findings)


def _refuse_size(size: int, file: str, budget: Budget) -> Findings:
    findings = Findings(SourceText(file, ""), budget.findings)
    message = f"the file has {size:,} bytes; {budget.bytes:,} are allowed"
    remedy = Remedy("Split the file, or name the right one; a policy is a few kilobytes.")
    findings.add("yaml/too-large", Severity.ERROR, message, (0, 0), remedy=remedy)
    return findings


def _byte_order_mark(data: bytes) -> str | None:
    return next((name for mark, name in _MARKS if data.startswith(mark)), None)


def _refuse_mark(encoding: str, file: str, budget: Budget) -> Findings:
    findings = Findings(SourceText(file, ""), budget.findings)
    message = f"the file begins with the byte order mark of {encoding}; only UTF-8 is read"
    findings.add("yaml/not-utf8", Severity.ERROR, message, (0, 0), remedy=Remedy("Save the file as UTF-8."))
    return findings


def _refuse_encoding(body: bytes, error: UnicodeDecodeError, file: str, budget: Budget) -> Findings:
    before = body[: error.start].decode("utf-8")
    findings = Findings(SourceText(file, before + _REPLACEMENT), budget.findings)
    bad = " ".join(f"0x{byte:02X}" for byte in body[error.start : error.end])
    message = f"{bad} at byte {error.start:,} of {len(body):,} is not UTF-8 ({error.reason})"
    findings.add(
        "yaml/not-utf8",
        Severity.ERROR,
        message,
        (len(before), len(before) + 1),
        remedy=Remedy(f"Save the file as UTF-8{_likely_encoding(body[error.start])}."),
    )
    return findings


def _likely_encoding(byte: int) -> str:
    character = bytes([byte]).decode("cp1252", errors="replace")
    return f"; in Windows-1252 the byte is {character!r}" if character.isprintable() else ""


def _note_nul(text: str, findings: Findings) -> None:
    place = text.index("\x00")
    count = text.count("\x00")
    message = f"a NUL character, the first of {count:,}" if count > 1 else "a NUL character"
    wide = text[:_NUL_SAMPLE].count("\x00") * 3 > len(text[:_NUL_SAMPLE])
    advice = "Save the file as UTF-8; it looks like UTF-16." if wide else "Remove it; a YAML file is text."
    findings.add("yaml/nul-byte", Severity.ERROR, message, (place, place + 1), remedy=Remedy(advice))


def _check_characters(text: str, dialect: Dialect, findings: Findings) -> str:
    # Of ASCII only control characters are suspect.
    for suspect in _SUSPECTS[:1] if text.isascii() else _SUSPECTS:
        match = suspect.pattern.search(text)
        if match is not None:
            replaced, count = suspect.pattern.subn(_REPLACEMENT, text)
            _note_suspect(suspect, match.end(), count, dialect, findings)
            text = replaced if suspect.replaced else text
    return text


def _note_suspect(suspect: _Suspect, end: int, count: int, dialect: Dialect, findings: Findings) -> None:
    place = (end - 1, end)
    code = ord(findings.text.text[end - 1])
    more = f", and {count - 1:,} more like it" if count > 1 else ""
    error = suspect.replaced or (suspect.strict and dialect is Dialect.POLICY)
    edit = Edit(findings.text.span(*place), " " if code == 0xA0 else "")
    findings.add(
        suspect.rule,
        Severity.ERROR if error else Severity.WARNING,
        f"U+{code:04X} is {suspect.what}{more}",
        place,
        remedy=Remedy(suspect.remedy, (edit,)),
    )
