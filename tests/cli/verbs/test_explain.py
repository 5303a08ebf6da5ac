"""`controlplane explain`: every id a finding can carry, the nearest of a misspelt one."""

from __future__ import annotations

import json

import pytest

from controlplane.cli.explanations import known_ids
from controlplane.cli.main import main
from controlplane.cli.views.explanation_text import explained, render
from controlplane.rules.catalogue import catalogue


def test_rule_is_shown_with_why_examples_remedy_and_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "kubernetes/gpu-limit-missing"]) == 0
    text = capsys.readouterr().out
    [entry] = [e for e in catalogue() if e.id == "kubernetes/gpu-limit-missing"]
    assert text.startswith(f"{entry.id}: {entry.title}\nerror, layer admission, since {entry.rule.since}\n")
    assert entry.rule.rationale.split(".")[0][:60] in text.replace("\n", " ")
    assert text.index("Found in:") < text.index("# fires") < text.index("Remedy:") < text.index("Clean:")
    assert "Sources:" in text


def test_several_can_be_asked_for_and_ids_without_a_file_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "yaml/duplicate-key", "suppression/expired"]) == 0
    text = capsys.readouterr().out
    assert text.index("yaml/duplicate-key: A mapping has the same key twice.") < text.index("suppression/expired: ")


@pytest.mark.parametrize(
    "word", ["kubernetes/gpu-limit-mising", "gpu-limit-missing", "gpu-limit-mising", "kubernetes/gpu_limit_missing"]
)
def test_misspelt_rule_is_told_the_nearest(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", word]) == 64
    assert "Did you mean kubernetes/gpu-limit-missing?" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["nothing-of-the-kind"], ["nofamily/"]])
def test_what_cannot_be_explained_is_told_how_to_list(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *words]) == 64
    assert "controlplane explain --all" in capsys.readouterr().err


def test_all_rules_are_listed_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--all"]) == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines()} == known_ids()


def test_family_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "suppression/"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert all(line.startswith("suppression/") for line in lines)


def test_json_has_all_that_editors_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--all", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["format_version"] == "1.0"
    assert {entry["rule"] for entry in document["rules"]} == known_ids()
    [gpu] = [entry for entry in document["rules"] if entry["rule"] == "kubernetes/gpu-limit-missing"]
    assert gpu["bad"][0].startswith("apiVersion:")
    assert set(gpu) == {
        "rule", "title", "severity", "layer", "since", "status", "why", "remedy", "bad", "good", "sources"
    }  # fmt: skip


def test_every_id_can_be_rendered() -> None:
    for rule, entry in explained().items():
        assert render(entry, colour=False).startswith(f"{rule}: ")
