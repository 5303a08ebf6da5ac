"""The scan finds documents and kinds as parsing does, and says so where it cannot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from controlplane.cli.lint.file_reading import named, read_file
from controlplane.cli.lint.scan import scan
from controlplane.source import Dialect, read_yaml
from controlplane.stack.read import reads


def kinds(text: str) -> list[str]:
    return [f"{p.api_version} {p.kind}".strip() if p.is_certain else "?" for p in scan(text) if not p.blank]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("apiVersion: v1\nkind: Role\n", ["v1 Role"]),
        ("kind: 'Role' # of mine\napiVersion: \"v1\"\n", ["v1 Role"]),
        ("# kind: Deployment\napiVersion: v1 \nkind:\tRole\n", ["v1 Role"]),
        ("  apiVersion: v1\n  kind: Role\n  x:\n    kind: Deployment\n", ["v1 Role"]),
        ("apiVersion: v1\nkind: Role\ndata: |\n kind: Deployment\n apiVersion: apps/v1\n", ["v1 Role"]),
        ("apiVersion: v1\r\nkind: Role\r\n---\r\nkind: X\r\napiVersion: y\r\n", ["v1 Role", "y X"]),
        ("rules:\n- kind: Deployment\nkind: Role\napiVersion: v1\n", ["v1 Role"]),
        ("image: {}\nreplicas: 1\n", [""]),
        ("- op: add\n  kind: x\n- op: y\n", [""]),
        ("kind: Role\nkind: Deployment\napiVersion: v1\n", ["?"]),
        ('"kind": Role\napiVersion: v1\n', ["?"]),
        ("? kind\n: Role\napiVersion: v1\n", ["?"]),
        ("<<: *x\nkind: Role\napiVersion: v1\n", ["?"]),
        ("kind: &k Role\napiVersion: v1\n", ["?"]),
        ("kind: Role#x\napiVersion: v1\n", ["?"]),
        ('{"kind": "Role", "apiVersion": "v1"}\n', ["?"]),
        ("{{- if .Values.x }}\nkind: Role\napiVersion: v1\n{{- end }}\n", ["?"]),
        ("%YAML 1.1\n---\nkind: Role\napiVersion: v1\n", ["?"]),
        ("kind: Role\rapiVersion: v1\r", ["?"]),
        ("kind: Role\u2028apiVersion: v1\n", ["?"]),
        ("--- {kind: x}\n--- # comment\nkind: Role\napiVersion: v1\n", ["?", "v1 Role"]),
        ("--- |\nkind: Role\napiVersion: v1\n", ["?"]),
        ("kind: Role\napiVersion: v1\n...\n---\n", ["v1 Role"]),
        ("kind: Role\napiVersion: v1\n---x\n", ["?"]),
    ],
)
def test_document_is_known_for_certain_or_not_at_all(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


def test_lines_of_documents_are_those_of_the_file() -> None:
    pieces = scan("a: 1\n---\n\nb: 2\n--- {c: 3}\nd: 4\n")
    assert [(p.line, p.end_line) for p in pieces] == [(1, 2), (3, 5), (5, 8)]


LINES = st.sampled_from(
    ["kind: Deployment", "kind: Role", "apiVersion: apps/v1", "apiVersion: v1", "'kind': Service", '"kind": Role',
     "kind: 'Service'", "metadata:", "  name: x", "  kind: Deployment", "spec: |", "spec: >-", "spec: \"", "\"", "'",
     "spec: '", "spec: {", "}", "spec: [", "]", "- kind: Deployment", "- a", "---", "--- # x", "--- {a: 1}", "...",
     "# kind: Deployment", "", " ", "{kind: Service, apiVersion: v1}", "? kind", ": Service", "<<: {kind: Service}",
     "kind: &a Deployment", "kind: *a", "x: &a Deployment", "kind: Service # c", "kind : Service", "kind:Service",
     "  apiVersion: apps/v1", "kind: Ro", "  le", "items:", "kind: List", "%TAG ! x", "--- |", "--- >", "kind:",
     "!!str kind: Service", "- apiVersion: v1\n  kind: Service", "\tkind: Service", "kind: Service\r", "a: b\u2028"]
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=14).map("\n".join)


@hypothesis_settings(max_examples=1500, deadline=None)
@given(TEXTS)
def test_scan_and_parser_agree_on_every_kind_that_is_read(text: str) -> None:
    """What is skipped by the scan alone is nothing that a parser would have found a reader for."""
    whole = read_yaml(text.encode(), "x.yaml", Dialect.KUBERNETES)
    parsed = [d.span.line for d in whole.documents if is_read(*named(d))]
    skipped = [p for p in scan(text) if p.is_certain and not reads(p.group, p.kind) and not p.blank]
    for piece in skipped:
        assert not [line for line in parsed if piece.line <= line < piece.end_line]


@hypothesis_settings(max_examples=1500, deadline=None)
@given(TEXTS)
def test_skipping_changes_neither_findings_nor_what_is_judged(text: str) -> None:
    fast, slow = (read_file("x.yaml", text.encode(), reads, scans=scans) for scans in (True, False))
    assert fast.findings == slow.findings
    assert [(d.value, d.span) for d in fast.manifests] == [(d.value, d.span) for d in slow.manifests]


def is_read(api_version: str, kind: str) -> bool:
    return bool(api_version and kind) and reads(api_version.rpartition("/")[0], kind)
