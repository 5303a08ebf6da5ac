"""What a worker runs, and what the sandbox keeps workflows from."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest
from temporalio import activity

from controlplane.workflows import drift, rollout, service
from controlplane.workflows.activities import ClusterActivities
from controlplane.workflows.ports import ClusterPorts, TemporalPorts
from controlplane.workflows.temporal_activities import TemporalActivities
from controlplane.workflows.worker import main
from tests.workflows.simulated import SimulatedCluster

IMPLEMENTATIONS = [
    pytest.param(ClusterPorts, ClusterActivities, id="cluster"),
    pytest.param(ClusterPorts, SimulatedCluster, id="simulated"),
    pytest.param(TemporalPorts, TemporalActivities, id="temporal"),
]


@pytest.mark.parametrize(("port", "implementation"), IMPLEMENTATIONS)
def test_every_activity_of_a_port_is_implemented_under_its_name(port: type, implementation: type) -> None:
    names = {name for name, _ in inspect.getmembers(port, inspect.isfunction) if not name.startswith("_")}
    assert names
    for name in names:
        definition = activity._Definition.must_from_callable(getattr(implementation, name))
        assert definition.name == name


@pytest.mark.parametrize("module", [rollout, service, drift], ids=lambda m: m.__name__.rpartition(".")[2])
def test_a_workflow_file_loads_no_client(module: object) -> None:
    tree = ast.parse(Path(inspect.getfile(module)).read_text())  # type: ignore[arg-type]
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [name for name in imported if "adapters" in name or "activities" in name or "client" in name]


def test_a_worker_without_a_server_says_what_to_set(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEMPORAL_ADDRESS", raising=False)
    with pytest.raises(SystemExit):
        main([])
    assert "give --address or set TEMPORAL_ADDRESS" in capsys.readouterr().err
