"""What an API server refuses in a manifest by its fields alone: misspelt ones, wrong words, values of a wrong kind.

Readers look at what they need; this looks at every field that a table tells. A field that no table has is told only
where a known one is near and is not written beside it: everything else may be newer than the table. What only changes
another manifest (a patch) is no object yet and is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controlplane.diagnostics import (
    Applicability,
    Diagnostic,
    Edit,
    Evidence,
    KeyPath,
    Layer,
    Remedy,
    Severity,
    render_path,
)
from controlplane.source.suggest import edit_distance, nearest
from controlplane.stack.facts import Declared
from controlplane.stack.field_types import choices, fields_of, is_whole, root_type, source_of
from controlplane.stack.manifest_fields import Field, is_placeholder

_LONG: Final = 8
"""From how many letters on two edits are still a slip; below it is one."""
_SHORTEST: Final = 3
"""Fewer letters than these are near to too much."""
_PARTS: Final = {"V1Container": "image", "V1DeploymentSpec": "template", "V1StatefulSetSpec": "template"}
"""What an object cannot do without and a patch mostly leaves out, by type."""
_COMPLETED_BY_OPERATORS: Final = ("InferenceService", "LLMInferenceService", "ServingRuntime")
"""Kinds whose operator fills in what a pod needs: a container without an image is none of a patch."""


def check(manifest: Field) -> None:
    """Add what is wrong with a manifest's fields to the findings of its source."""
    api_version, kind = manifest["apiVersion"].value, manifest["kind"].value
    if manifest.source.document is None or not isinstance(api_version, str) or not isinstance(kind, str):
        return
    root = root_type(api_version, kind)
    if root:
        _Walk(manifest, root).finish()


class _Walk:
    """One manifest, walked along its types; nothing is said before it is known to be no patch."""

    def __init__(self, manifest: Field, root: str) -> None:
        self.manifest = manifest
        self.root = root
        self.is_patch = False
        self.unknown: list[tuple[KeyPath, str, str]] = []
        self.values: list[tuple[Field, str, str]] = []
        self._visit(manifest.value, manifest.path, root)

    def finish(self) -> None:
        if self.is_patch:
            return
        findings = self.manifest.source.findings
        findings += [_misspelt(self.manifest, *found) for found in self.unknown]
        # A reader that knows more of a field has told it in its own words.
        told = {finding.path for finding in findings} if self.values else frozenset()
        for field, type_name, takes in self.values:
            if field.path not in told:
                _judge(field, type_name, takes)

    def _visit(self, value: Mapping[Any, Any], path: KeyPath, type_name: str) -> None:
        known = fields_of(type_name)
        if not known:
            return
        missing = _PARTS.get(type_name)
        self.is_patch |= "$patch" in value
        if missing and missing not in value and self.root not in _COMPLETED_BY_OPERATORS:
            self.is_patch |= not any(_meant(key, value, known) == missing for key in value if key not in known)
        for key, inner in value.items():
            takes = known.get(key)
            if takes is None:
                near = _meant(key, value, known) if is_whole(type_name) else ""
                if near:
                    self.unknown.append(((*path, key), near, type_name))
            elif inner is not None:
                self._field(inner, (*path, key), type_name, takes)

    def _field(self, value: Any, path: KeyPath, type_name: str, takes: str) -> None:
        match value:
            case dict():
                if takes == "{string}":
                    texts = {key: inner for key, inner in value.items() if inner is not None}
                    wrong = [(key, inner) for key, inner in texts.items() if not isinstance(inner, str)]
                    self.values += [(self._at(inner, (*path, key)), type_name, "string") for key, inner in wrong]
                elif takes and takes[0] != "[":
                    self._visit(value, path, takes)
            case list():
                for index, item in enumerate(value) if takes[:1] == "[" else ():
                    if isinstance(item, dict):
                        self._visit(item, (*path, index), takes[1:-1])
            case _:
                if _is_other_kind(value, takes) or choices(type_name, str(path[-1])):
                    self.values.append((self._at(value, path), type_name, takes))

    def _at(self, value: Any, path: KeyPath) -> Field:
        return Field(value, path, self.manifest.source)


_KINDS: Final = {"integer": Field.integer, "boolean": Field.boolean, "string": Field.text}
_CLASSES: Final = {"integer": int, "boolean": bool, "string": str}


def _is_other_kind(value: object, takes: str) -> bool:
    """Whether a scalar is none of the kind that a field takes; a boolean is no number here."""
    kind = _CLASSES.get(takes)
    return kind is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool)))


def _judge(field: Field, type_name: str, takes: str) -> None:
    words = choices(type_name, str(field.path[-1]))
    if _is_other_kind(field.value, takes):
        _KINDS[takes](field)
    if words and isinstance(field.value, str) and field.value not in words and not is_placeholder(field.value):
        field.source.findings.append(_no_choice(field, type_name, words))


def _meant(key: Any, beside: Mapping[Any, Any], known: Mapping[str, str]) -> str:
    """The field that an unknown key misspells for certain; empty where there is none."""
    if not isinstance(key, str) or len(key) < _SHORTEST:
        return ""
    near = nearest(key, known)
    if near is None or near in beside:
        return ""
    limit = 2 if len(key) >= _LONG else 1
    return near if edit_distance(key.casefold(), near.casefold(), limit) <= limit else ""


def _misspelt(manifest: Field, path: KeyPath, near: str, type_name: str) -> Diagnostic:
    field = Field(None, path, manifest.source)
    origin, name = field.key_origin, str(path[-1])
    span = origin.span if isinstance(origin, Declared) else manifest.source.span(path)
    is_plain = span.line == span.end_line and span.end_column - span.column == len(name)
    edits = (Edit(span, near),) if is_plain and not manifest.source.is_repeated(path) else ()
    return Diagnostic(
        rule="kubernetes/field-unknown",
        severity=Severity.ERROR,
        layer=Layer.ADMISSION,
        message=f"{render_path(path)} is no field of {_words(type_name)}; {near} is probably meant",
        span=span,
        path=path,
        remedy=Remedy(
            f"Write {near}: kubectl refuses the manifest as it is, and other clients have the field dropped.",
            edits,
            Applicability.NEEDS_DECISION if edits else Applicability.DISPLAY_ONLY,
        ),
        evidence=(Evidence("fields", _words(type_name), source_of(type_name)),),
    )


def _no_choice(field: Field, type_name: str, words: frozenset[str]) -> Diagnostic:
    taken = ", ".join(sorted(word for word in words if word))
    near = nearest(field.value, words) if len(field.value) > _SHORTEST else None
    return Diagnostic(
        rule="kubernetes/field-value",
        severity=Severity.ERROR,
        layer=Layer.ADMISSION,
        message=f"{render_path(field.path)} is {field.value}, which is none of the words it takes: {taken}",
        span=field.source.span(field.path),
        path=field.path,
        remedy=Remedy(f"Write {near or f'one of {taken}'}: an API server refuses the manifest as it is."),
        evidence=(Evidence(str(field.path[-1]), taken, source_of(type_name)),),
    )


def _words(type_name: str) -> str:
    """A type in words: `Container`, `RayCluster spec.autoscalerOptions`."""
    kind, _, path = type_name.partition(".")
    return f"{kind} {path}" if path else kind.lstrip("V").lstrip("0123456789") if kind[1:2].isdigit() else kind
