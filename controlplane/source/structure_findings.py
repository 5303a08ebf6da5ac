"""The findings about keys, aliases, merge keys and budgets, in words."""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.diagnostics import KeyPath, RelatedSpan, Remedy, Severity
from controlplane.source.dialect import Dialect
from controlplane.source.findings import Findings
from controlplane.source.scalars.reader import shorten
from controlplane.source.suggest import nearest

_Place = tuple[int, int]


def _related(findings: Findings, place: _Place, message: str) -> tuple[RelatedSpan, ...]:
    return (RelatedSpan(findings.text.span(*place), message),)


def duplicate_key(
    findings: Findings, dialect: Dialect, name: str, place: _Place, first: _Place, path: KeyPath
) -> None:
    """A key stands a second time in one mapping."""
    lenient = {Dialect.KUBERNETES: "Kubernetes' reader takes the last", Dialect.VLLM: "PyYAML takes the last"}
    effect = lenient.get(dialect, "a mapping has each key once")
    line = findings.text.position(first[0])[0]
    findings.add(
        "yaml/duplicate-key",
        Severity.WARNING if dialect in lenient else Severity.ERROR,
        f"the key `{shorten(name)}` is already on line {line}; {effect}",
        place,
        path=path,
        remedy=Remedy("Keep one of the two and remove the other."),
        related=_related(findings, first, "first here"),
    )


def second_merge_key(findings: Findings, dialect: Dialect, place: _Place, first: _Place, path: KeyPath) -> None:
    """`<<` stands a second time in one mapping; readers differ in which of the two wins, or refuse."""
    line = findings.text.position(first[0])[0]
    findings.add(
        "yaml/merge-key",
        Severity.ERROR if dialect is Dialect.POLICY else Severity.WARNING,
        f"the merge key `<<` is already on line {line}; readers differ on what a second one does",
        place,
        path=path,
        remedy=Remedy("Name all in one list, the one that wins first: `<<: [*one, *other]`."),
        related=_related(findings, first, "first here"),
    )


def merge_of_no_mapping(findings: Findings, place: _Place, path: KeyPath) -> None:
    """The value of `<<` is neither a mapping nor a list of mappings."""
    findings.add(
        "yaml/merge-key",
        Severity.ERROR,
        "the merge key `<<` takes a mapping or a list of mappings; this is neither",
        place,
        path=path,
        remedy=Remedy('Point it at an anchor of a mapping, or quote the key if a text is meant: "<<".'),
    )


def merge_replaces(findings: Findings, names: list[str], place: _Place, path: KeyPath) -> None:
    """go-yaml v2 lets a merge replace the keys that stand before it; YAML's merge type says it must not."""
    findings.add(
        "yaml/merge-key",
        Severity.WARNING,
        f"Kubernetes' reader lets this merge replace {_names(names)}, which stand before it; other readers do not",
        place,
        path=path,
        remedy=Remedy("Put the merge key first in its mapping."),
    )


def merge_contested(findings: Findings, names: list[str], place: _Place, path: KeyPath) -> None:
    """Merged mappings share keys. In PyYAML 6.0.3 the first of a list wins; in 6.0.4 the last, mostly."""
    shown = _names(names)
    findings.add(
        "yaml/merge-key",
        Severity.WARNING,
        f"several of the merged mappings have {shown}; versions of PyYAML differ on which one wins",
        place,
        path=path,
        remedy=Remedy("Write the key out in this mapping, where it always wins."),
    )


def _names(names: list[str]) -> str:
    return ", ".join(f"`{shorten(name)}`" for name in names[:5]) + (", …" if len(names) > 5 else "")


def collection_as_key(findings: Findings, place: _Place, path: KeyPath) -> None:
    """A list or a mapping is used as a key."""
    findings.add(
        "yaml/non-string-key",
        Severity.ERROR,
        "this key is a list or a mapping; a key must be a text",
        place,
        path=path,
        remedy=Remedy("Write the key as a text on one line."),
    )


def undefined_alias(findings: Findings, name: str, anchors: Iterable[str], place: _Place, path: KeyPath) -> None:
    """An alias names no anchor before it in its document."""
    near = nearest(name, anchors)
    hint = f"Write *{near}, or define" if near else "Define"
    findings.add(
        "yaml/undefined-alias",
        Severity.ERROR,
        f"the alias `*{shorten(name)}` names no anchor above it in this document",
        place,
        path=path,
        remedy=Remedy(f"{hint} the anchor &{shorten(name)} before it is used."),
    )


def alias_cycle(findings: Findings, name: str, place: _Place, anchor: _Place, path: KeyPath) -> None:
    """An alias stands inside the node that it names."""
    findings.add(
        "yaml/alias-cycle",
        Severity.ERROR,
        f"the alias `*{shorten(name)}` stands inside the anchor that it names, so its value would be endless",
        place,
        path=path,
        remedy=Remedy("Write the value out, or move the anchor to the part that is meant."),
        related=_related(findings, anchor, f"the anchor &{shorten(name)} begins here"),
    )


def alias_expansion(
    findings: Findings, numbers: tuple[int, int], place: _Place, anchor: _Place, path: KeyPath
) -> None:
    """Aliases stand for more values than the budget allows."""
    findings.add(
        "yaml/alias-expansion",
        Severity.ERROR,
        f"with its aliases written out the file has {numbers[0]:,} values up to here; {numbers[1]:,} are allowed",
        place,
        path=path,
        remedy=Remedy("Use fewer aliases, or split the file; what follows was not read."),
        related=_related(findings, anchor, "this is repeated"),
    )


def too_deep(findings: Findings, allowed: int, place: _Place) -> None:
    """Collections are nested deeper than the budget allows."""
    findings.add(
        "yaml/too-deep",
        Severity.ERROR,
        f"{allowed + 1:,} lists and mappings inside each other; {allowed:,} are allowed",
        place,
        remedy=Remedy("Nest less deeply; the rest of this document was not read."),
    )


def too_many_nodes(findings: Findings, allowed: int, place: _Place) -> None:
    """The file has more values than the budget allows."""
    findings.add(
        "yaml/too-many-nodes",
        Severity.ERROR,
        f"{allowed + 1:,} values up to here; {allowed:,} are allowed",
        place,
        remedy=Remedy("Split the file; what follows was not read."),
    )


def too_many_documents(findings: Findings, allowed: int, place: _Place) -> None:
    """The file has more documents than the budget allows."""
    findings.add(
        "yaml/too-many-documents",
        Severity.ERROR,
        f"{allowed + 1:,} documents up to here; {allowed:,} are allowed",
        place,
        remedy=Remedy("Split the file; what follows was not read."),
    )


def too_many_unreadable(findings: Findings, count: int, index: int) -> None:
    """So many documents cannot be read that reading stopped."""
    findings.add(
        "yaml/too-many-unreadable-documents",
        Severity.ERROR,
        f"{count:,} documents up to here cannot be read; reading stops after {count:,}",
        (index, index),
        remedy=Remedy("Repair what is told and run again; what follows was not read."),
    )


def empty_file(findings: Findings, dialect: Dialect) -> None:
    """There is no document in the file that holds anything."""
    size = len(findings.text.text)
    what = "the file is empty" if not size else "the file holds only blank lines, comments or document markers"
    findings.add(
        "yaml/empty-file",
        Severity.ERROR if dialect is Dialect.POLICY else Severity.WARNING,
        what,
        (0, 0),
        remedy=Remedy("Write a document into it, or leave the file out."),
    )
