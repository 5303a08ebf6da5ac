"""Rules are known without their files, and left out only where they would say nothing."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from dataclasses import replace
from functools import cache

import pytest

from controlplane import __version__
from controlplane.rules.catalogue import FAMILIES, CataloguedRule, catalogue
from controlplane.source import Dialect, read_yaml
from controlplane.stack.model import Stack
from controlplane.stack.read import read

_RULES = [pytest.param(entry, id=entry.id) for entry in catalogue()]


@cache
def _examples() -> tuple[Stack, ...]:
    """The Stacks of the examples of all rules."""
    texts = {text for entry in catalogue() for text in (*entry.rule.bad, *entry.rule.good)}
    files = [read_yaml(textwrap.dedent(text).encode(), "example.yaml", Dialect.KUBERNETES) for text in sorted(texts)]
    return tuple(read(file.documents).stack for file in files)


def _without(entry: CataloguedRule, stack: Stack) -> Stack:
    """What is left of a Stack without the workloads that concern a rule."""
    alone = [workload for workload in stack.workloads if not entry.concerns(Stack(workloads=(workload,)))]
    return replace(stack, workloads=tuple(alone))


@pytest.mark.parametrize("entry", _RULES)
def test_a_rule_is_silent_where_its_family_is_left_out(entry: CataloguedRule) -> None:
    left_out = [stack for example in _examples() if not entry.concerns(stack := _without(entry, example))]
    assert left_out
    assert [found for stack in left_out for found in entry.rule.check(stack)] == []


def test_previews_are_known_without_their_files() -> None:
    assert {e.id for e in catalogue() if e.is_preview} == {e.id for e in catalogue() if e.rule.status == "preview"}


def test_choosing_rules_by_id_imports_none() -> None:
    program = (
        "import sys; from controlplane.rules.catalogue import catalogue; assert len(catalogue()) > 100\n"
        f"print([m for m in sys.modules for f in {FAMILIES} if m.startswith(f'controlplane.rules.{{f}}.')])"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_no_rule_claims_a_release_that_is_still_to_come() -> None:
    assert {e.id for e in catalogue() if _numbers(e.rule.since) > _numbers(__version__)} == set()


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]
