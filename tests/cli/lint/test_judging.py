"""What is told of a value that YAML's readers take differently, and that is of the wrong kind besides."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from controlplane.cli.lint.run import Request, lint

_SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: chat, labels: {country: NO}}
spec:
  selector: {app: chat}
  ports: [{port: 80}]
"""


def test_value_of_the_wrong_kind_is_told_once_with_what_is_needed_there(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(_SERVICE, encoding="utf-8")
    (finding,) = lint(Request((str(tmp_path),), date(2026, 1, 1))).findings
    assert (finding.rule, finding.span.line) == ("kubernetes/field-type", 4)
    assert finding.remedy is not None
    assert finding.remedy.text.startswith("Quote it")
    assert finding.remedy.edits == ()
