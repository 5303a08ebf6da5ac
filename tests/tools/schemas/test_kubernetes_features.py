"""Feature gates read from Kubernetes' own source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.schemas import kubernetes_features
from tools.schemas.kubernetes_features import TABLE, consistent, gate, main

SOURCE = """\
\tImageVolume: {
\t\t{Version: version.MustParse("1.31"), Default: false, PreRelease: featuregate.Alpha},
\t\t{Version: version.MustParse("1.35"), Default: true, PreRelease: featuregate.Beta},
\t},

\tPodLifecycleSleepAction: {
\t\t{Version: version.MustParse("1.30"), Default: true, PreRelease: featuregate.Beta},
\t},

\tNeverOn: {
\t\t{Version: version.MustParse("1.36"), Default: false, PreRelease: featuregate.Alpha},
\t},

\tImageVolume: {},
"""


def test_table_is_consistent() -> None:
    assert main(["--check"]) == 0
    gates = json.loads(TABLE.read_text("utf-8"))["gates"]
    assert gates["ImageVolume"]["on_since"] == "1.35"
    assert gates["PodLifecycleSleepAction"]["on_since"] == "1.30"


def test_gate_is_on_since_its_first_step_that_turns_it_on() -> None:
    found = gate(SOURCE, "ImageVolume")
    assert found["on_since"] == "1.35"
    assert found["steps"][0] == {"version": "1.31", "on": False, "stage": "alpha"}


@pytest.mark.parametrize("name", ["NeverOn", "Unheard"])
def test_gate_that_is_never_on_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        gate(SOURCE, name)


def test_table_with_another_answer_than_its_steps_is_found() -> None:
    content = {"gates": {name: gate(SOURCE, name) for name in kubernetes_features.GATES}}
    assert consistent(content)
    content["gates"]["ImageVolume"]["on_since"] = "1.31"
    assert not consistent(content)


def test_table_is_written_from_the_source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "kube_features.go").write_text(SOURCE, "utf-8")
    monkeypatch.setattr(kubernetes_features, "TABLE", tmp_path / "out" / "features.json")
    assert main(["--source", str(tmp_path / "kube_features.go"), "--version", "1.36.3"]) == 0
    written = json.loads((tmp_path / "out" / "features.json").read_text("utf-8"))
    assert "v1.36.3" in written["source"]
    assert main(["--check"]) == 0
