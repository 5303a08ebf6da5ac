"""The tests that a Guardrail carries: manifests or policies, and the rules that have to be broken by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from controlplane.diagnostics import Diagnostic, has_errors
from controlplane.guardrails.guardrails import CompiledRule, compiled, hold
from controlplane.policy import load_policies, resolve_all
from controlplane.policy.guardrail import GuardrailSpec, GuardrailTest
from controlplane.policy.policy_set import Policy, PolicySet
from controlplane.source import Dialect, Document, read_embedded_yaml
from controlplane.stack.model import Stack
from controlplane.stack.read import read


@dataclass(frozen=True, slots=True)
class Trial:
    """One test as it went. `found` are rules and messages; `refused` is what keeps the example from being judged."""

    guardrail: str
    name: str
    expected: tuple[str, ...]
    found: tuple[tuple[str, str], ...] = ()
    refused: tuple[Diagnostic, ...] = ()

    @property
    def as_expected(self) -> bool:
        """Whether exactly the expected rules were broken, each as often as expected."""
        return not self.refused and Counter(rule for rule, _ in self.found) == Counter(self.expected)


def trials(guardrail: Policy[GuardrailSpec], today: date) -> Iterator[Trial]:
    """Run every test of a Guardrail. Exceptions do not count: tests are about the rules."""
    rules, wrong = compiled(guardrail, today)
    bare = tuple(replace(rule, exceptions=()) for rule in rules)
    for index, test in enumerate(guardrail.spec.tests):
        yield _trial(guardrail, index, test, bare, wrong)


def _trial(
    guardrail: Policy[GuardrailSpec],
    index: int,
    test: GuardrailTest,
    rules: tuple[CompiledRule, ...],
    wrong: tuple[Diagnostic, ...],
) -> Trial:
    path = ("spec", "tests", index, "given")
    reading = read_embedded_yaml(guardrail.document, path, Dialect.KUBERNETES)
    policies, stack, faults = _understood(reading.documents)
    refused = tuple(f for f in (*wrong, *reading.diagnostics, *faults) if has_errors((f,)))
    if refused:
        return Trial(guardrail.name, test.name, test.expect, refused=refused)
    held = hold(rules, stack, policies.services)
    found = tuple((f.rule.partition("/")[2], f.message) for f in held.findings)
    return Trial(guardrail.name, test.name, test.expect, found)


def _understood(documents: tuple[Document, ...]) -> tuple[PolicySet, Stack, tuple[Diagnostic, ...]]:
    """The policies of an example, and the Stack of policies and manifests together."""
    policies, faults = load_policies(documents)
    resolution = resolve_all(policies)
    reading = read(documents)
    stack = replace(
        reading.stack,
        workloads=(*resolution.stack.workloads, *reading.stack.workloads),
        references=(*resolution.stack.references, *reading.stack.references),
    )
    return policies, stack, (*faults, *resolution.findings, *reading.diagnostics)
