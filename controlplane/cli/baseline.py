"""The findings that were there when somebody began: they are told apart from new ones by a file.

The file is JSON with `format_version`; findings are known by fingerprints that survive moved lines. Names of files in
it count from the folder that it lies in, so that it holds wherever lint is started. It holds no text of manifests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from controlplane.cli.fingerprints import fingerprints, object_names, portable_name
from controlplane.cli.lint.report import SuppressedFinding
from controlplane.diagnostics import Diagnostic, render_path
from controlplane.frozen import frozen

FORMAT_VERSION = "1.0"
_SURROGATE = re.compile("[\ud800-\udfff]")


class BaselineError(Exception):
    """A baseline file cannot be used; the message says why and what to do."""


@frozen(order=True)
class BaselineEntry:
    """A finding that was there. All but the fingerprint is for people who read the file."""

    file: str
    rule: str
    object: str
    path: str
    fingerprint: str


@frozen
class Baseline:
    """What was there when the file was written."""

    entries: tuple[BaselineEntry, ...]


@frozen
class Compared:
    """Findings that are new, those that were there already, and entries whose finding is gone from its file."""

    new: tuple[Diagnostic, ...]
    known: tuple[SuppressedFinding, ...]
    gone: tuple[BaselineEntry, ...]


def dump(findings: Sequence[Diagnostic], texts: Mapping[str, str], folder: Path | None = None) -> str:
    """The baseline file for some findings, to lie in `folder`: the same findings give the same bytes."""
    entries = sorted(_entries(findings, texts, folder))
    document = {
        "format_version": FORMAT_VERSION,
        "findings": [
            {"file": e.file, "rule": e.rule, "object": e.object, "path": e.path, "fingerprint": e.fingerprint}
            for e in entries
        ],
    }
    # A file's name need not be text: what cannot be encoded stays an escape.
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def load(text: str) -> Baseline:
    """Read a baseline file. Raises BaselineError where it is none that this program can read."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"the baseline is not JSON ({error}); write it anew with --write-baseline") from error
    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        raise BaselineError("the baseline has no list of findings; write it anew with --write-baseline")
    version = str(document.get("format_version"))
    if version.partition(".")[0] != FORMAT_VERSION.partition(".")[0]:
        raise BaselineError(
            f"the baseline has format {version}, and {FORMAT_VERSION} is read; write it anew with --write-baseline"
        )
    return Baseline(tuple(_entry(item) for item in document["findings"]))


def apply(
    findings: Sequence[Diagnostic], texts: Mapping[str, str], baseline: Baseline, folder: Path | None = None
) -> Compared:
    """Tell what was there from what is new. `folder` is that of the baseline.

    `texts` holds every file that was read: entries of others are left alone.
    """
    there = {entry.fingerprint for entry in baseline.entries}
    marked = list(zip(findings, fingerprints(findings, texts, folder), strict=True))
    now = {fingerprint for _, fingerprint in marked}
    read = {portable_name(name, folder) for name in texts}
    return Compared(
        tuple(finding for finding, fingerprint in marked if fingerprint not in there),
        tuple(SuppressedFinding(f, "baseline", "it is in the baseline") for f, mark in marked if mark in there),
        tuple(sorted(e for e in baseline.entries if e.fingerprint not in now and e.file in read)),
    )


def _entries(findings: Sequence[Diagnostic], texts: Mapping[str, str], folder: Path | None) -> list[BaselineEntry]:
    marks = fingerprints(findings, texts, folder)
    names = object_names(findings, texts)
    return [
        BaselineEntry(portable_name(f.span.file, folder), f.rule, name, render_path(f.path), mark)
        for f, name, mark in zip(findings, names, marks, strict=True)
    ]


def _entry(item: Any) -> BaselineEntry:
    if not isinstance(item, dict) or not isinstance(item.get("fingerprint"), str):
        raise BaselineError("an entry of the baseline has no fingerprint; write it anew with --write-baseline")
    file, rule, name, path = (str(item.get(key, "")) for key in ("file", "rule", "object", "path"))
    return BaselineEntry(file, rule, name, path, item["fingerprint"])
