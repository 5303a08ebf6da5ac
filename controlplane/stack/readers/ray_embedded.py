"""YAML that KubeRay keeps in a text of a manifest (`serveConfigV2`, `runtimeEnvYAML`), as fields of the manifest.

Paths go on behind the text's own, and places are those of the file. KubeRay reads the first document of the text as
an API server reads a manifest (operator 1.6.2, `rayservice_controller.go`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controlplane.diagnostics import KeyPath, Layer, Span
from controlplane.source import Dialect, Document, Embedded, embedded
from controlplane.source.reader import read_text
from controlplane.source.text import SourceText
from controlplane.stack.facts import Declared, Fact, Known, Origin, Unknown, Why
from controlplane.stack.manifest_fields import Field, ManifestSource, TypeFault, is_templated, is_written_at
from controlplane.stack.pods import EnvVar

REFUSED_BY_SERVE: Final = TypeFault("serve/field-type", Layer.SERVE, "Ray Serve refuses the configuration as it is")


def embedded_root(field: Field, fault: TypeFault) -> Field | None:
    """The root of the YAML inside a text; None where there is none, or none that can be read.

    A map in the text's place is a finding, and read all the same.
    """
    value = field.value
    if isinstance(value, dict):
        field.report("a text with YAML in it")
        return Field(value, field.path, _like(field.source, fault))
    if value is None:
        return None
    if not isinstance(value, str):
        field.report("a text with YAML in it")
        return None
    return _root(field, value, fault)


def _root(field: Field, value: str, fault: TypeFault) -> Field | None:
    source = field.source
    source.embedded_left -= len(value)
    if source.embedded_left < 0:
        return None
    text = source.text(field.path)
    result = read_text(text or SourceText("", value), Dialect.KUBERNETES)
    # What a template leaves behind is no YAML before it is rendered, and a live object has no file to point into.
    if text is not None and not is_templated(value):
        source.findings += (replace(found, path=(*field.path, *found.path)) for found in result.diagnostics)
    if not result.documents:
        return None
    document = result.documents[0]
    made = _live(field, fault) if text is None else _inside(document, text, len(field.path), fault)
    made.findings = source.findings
    return Field(document.value, field.path, made)


def _inside(document: Document, text: Embedded, depth: int, fault: TypeFault) -> ManifestSource:
    """The source of a document inside a text at a path of that many parts."""

    def origin(path: KeyPath) -> Origin:
        return Declared(document.span_of(path[depth:]), path)

    def key_origin(path: KeyPath) -> Origin:
        return Declared(document.key_span(path[depth:]), path)

    def span(path: KeyPath) -> Span:
        return document.span_of(path[depth:])

    return ManifestSource(
        origin,
        span,
        key_origin=key_origin,
        text=lambda path: embedded(document, path[depth:]),
        editable=lambda path: text.has_places and is_written_at(document, path[depth:]),
        fault=fault,
    )


def _live(field: Field, fault: TypeFault) -> ManifestSource:
    return ManifestSource(field.source.origin, field.source.span, fault=fault)


def _like(source: ManifestSource, fault: TypeFault) -> ManifestSource:
    made = ManifestSource(
        source.origin,
        source.span,
        key_origin=source.key_origin,
        text=source.text,
        editable=lambda path: not source.is_repeated(path),
        fault=fault,
    )
    made.findings = source.findings
    return made


def runtime_variables(environment: Field) -> tuple[EnvVar, ...]:
    """`env_vars` of a runtime environment. Ray takes texts alone, so that a number is a finding."""
    if not environment.gives("env_vars"):
        return ()
    return tuple(_variable(name, value) for name, value in environment["env_vars"].entries())


def _variable(name: str, value: Field) -> EnvVar:
    text = value.literal()
    return EnvVar(
        name, Known(text.value, text.origin) if isinstance(text, Known) else _unknown(text), value.key_origin
    )


def _unknown(text: Fact[str]) -> Unknown:
    return text if isinstance(text, Unknown) else Unknown(Why.UNRESOLVED)


def merged_variables(outer: tuple[EnvVar, ...], inner: tuple[EnvVar, ...]) -> tuple[EnvVar, ...]:
    """Variables of two runtime environments, of which the inner wins."""
    names = {variable.name for variable in inner}
    return (*(variable for variable in outer if variable.name not in names), *inner)
