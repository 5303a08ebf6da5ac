"""The JSON Schemas of the policy kinds: fresh, valid, and of one mind with the models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from controlplane.policy.kinds import KINDS
from tests.policy.folder import FLEET, SERVICE, service
from tests.policy.test_faults import CASES
from tools.schemas import policy

ROOT = Path(__file__).parents[3]
SCHEMAS = sorted(path.name for path in policy.FOLDER.glob("*.json"))


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((policy.FOLDER / name).read_text("utf-8")))


def accepts(document: Any, name: str = "policy.json") -> bool:
    return not list(validator(name).iter_errors(document))


def references() -> list[tuple[str, Any]]:
    found = []
    for path in sorted((ROOT / "policies").rglob("*.yaml")):
        for index, document in enumerate(yaml.safe_load_all(path.read_text("utf-8"))):
            found.append((f"{path.parent.name}/{path.name}[{index}]", document))
    return found


def test_files_are_fresh() -> None:
    assert policy.stale() == []


def test_there_is_one_for_each_kind_and_one_for_all() -> None:
    assert len(SCHEMAS) == len(KINDS) + 1


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_valid(name: str) -> None:
    Draft202012Validator.check_schema(json.loads((policy.FOLDER / name).read_text("utf-8")))


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_key_is_described(name: str) -> None:
    content = json.loads((policy.FOLDER / name).read_text("utf-8"))
    parts = [*content["$defs"].items()] + ([] if name == "policy.json" else [(name, content)])
    for title, part in parts:
        assert part["description"], title
        for key, value in part["properties"].items():
            assert value.get("description"), f"{title}.{key}"


@pytest.mark.parametrize("document", [d for _, d in references()], ids=[n for n, _ in references()])
def test_reference_policy_is_accepted_by_its_kind_and_by_the_combined_schema(document: Any) -> None:
    own = "".join(f"-{c.lower()}" if c.isupper() else c for c in document["kind"]).removeprefix("-")
    assert accepts(document, f"{own}.json")
    assert accepts(document)
    assert accepts({"$schema": "policy.json", **document})


@pytest.mark.parametrize("document", [d for _, d in references()], ids=[n for n, _ in references()])
def test_unknown_key_is_refused_at_every_level(document: Any) -> None:
    for level in (document, document["metadata"], document["spec"]):
        level["unheardOf"] = 1
        assert not accepts(document)
        del level["unheardOf"]
    assert accepts(document)


BEYOND_A_SCHEMA = {"float for int", "path outside", "thousandths of bytes", "forgotten suffix", "part of a second"}
"""What a schema cannot say of a single value, or says with a pattern that would be hard to read."""


@pytest.mark.parametrize(("name", "text"), [(c[0], c[1]) for c in CASES], ids=[c[0] for c in CASES])
def test_what_the_models_refuse_the_schema_refuses_too(name: str, text: str) -> None:
    document = yaml.safe_load(text)
    if name not in BEYOND_A_SCHEMA:
        assert not accepts(document)


@pytest.mark.parametrize(
    "text",
    [
        FLEET,
        SERVICE,
        FLEET.replace("nodes: 2", "nodes: {min: 1, max: 2}"),
        service(rollout="careful"),
        service(rollout="{policy: careful, surge: 1}"),
        service(machine="{cpu: 0.5, memory: 1e9, sharedMemory: 1.5Gi, termination: {drain: 1h30m}}"),
        service(model="{name: a, from: {hub: {}}}"),
        service(memory="{extraArgs: {a: 1, b: [c], d: {e: f}}}"),
    ],
)
def test_what_the_models_take_the_schema_takes_too(text: str) -> None:
    assert accepts(yaml.safe_load(text))


def test_unknown_kind_is_refused() -> None:
    assert not accepts({**yaml.safe_load(FLEET), "kind": "Flet"})


def test_defaults_are_shown_as_they_are_written() -> None:
    content = json.loads((policy.FOLDER / "machine-policy.json").read_text("utf-8"))
    assert content["$defs"]["Termination"]["properties"]["preStop"]["default"] == "15s"


def test_stale_file_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(policy, "FOLDER", tmp_path)
    assert policy.main(["--write"]) == 0
    assert policy.main(["--check"]) == 0
    (tmp_path / "fleet.json").write_text("{}", "utf-8")
    (tmp_path / "gone-kind.json").write_text("{}", "utf-8")
    assert policy.main(["--check"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "stale: schemas/policy/fleet.json",
        "stale: schemas/policy/gone-kind.json",
    ]
    assert policy.main(["--write"]) == 0
    assert policy.main(["--check"]) == 0
    assert policy.main([]) == 2
