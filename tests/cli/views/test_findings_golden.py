"""One run in every format, to the byte: `--update-golden` writes the files, and their difference is reviewed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from controlplane.cli.lint.report import LintReport
from controlplane.cli.views import (
    findings_github,
    findings_gitlab,
    findings_json,
    findings_junit,
    findings_sarif,
    findings_text,
)
from tests.cli.views.reports import DIRTY

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "findings"
# Without the catalogue: which rules there are is not what these files are about.
REPORT = replace(DIRTY, rules=())
VIEWS: dict[str, Callable[[LintReport], str]] = {
    "text.txt": partial(findings_text.render_report, colour=False),
    "colour.txt": partial(findings_text.render_report, colour=True),
    "findings.json": findings_json.render_report,
    "findings.sarif": findings_sarif.render,
    "junit.xml": findings_junit.render,
    "github.txt": findings_github.render,
    "gitlab.json": findings_gitlab.render,
}


@pytest.mark.parametrize("name", VIEWS)
def test_every_format_is_as_it_was_reviewed(name: str, update_golden: bool) -> None:
    text = VIEWS[name](REPORT) + "\n"
    path = GOLDEN / name
    if update_golden:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", VIEWS)
def test_order_of_findings_makes_no_difference(name: str) -> None:
    backwards = replace(REPORT, findings=REPORT.findings[::-1], suppressed=REPORT.suppressed[::-1])
    assert VIEWS[name](REPORT) == VIEWS[name](backwards)
