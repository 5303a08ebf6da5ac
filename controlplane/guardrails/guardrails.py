"""Guardrails: read with their types checked, then held against a Stack and the policies behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from typing import Any

from controlplane.diagnostics import Diagnostic, KeyPath, Layer, Remedy, Severity, Span
from controlplane.guardrails.expressions import (
    SCOPES,
    Expression,
    ExpressionError,
    Named,
    compile_expression,
)
from controlplane.guardrails.subjects import Described, Subject, subjects, without_secret_values
from controlplane.policy.findings import finding
from controlplane.policy.guardrail import GuardrailException, GuardrailRule, GuardrailSpec
from controlplane.policy.kinds import known_keys
from controlplane.policy.policy_set import Policy, Service
from controlplane.policy.secrets import without_secrets
from controlplane.source import embedded, nearest, printable
from controlplane.stack.facts import Declared, Derived, Origin
from controlplane.stack.model import Stack
from controlplane.stack.vllm_tables import introduced, load_table, versions

_PART = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule whose expressions are right. `message` alternates texts and expressions."""

    rule: GuardrailRule
    require: Expression
    when: Expression | None
    message: tuple[str | Expression, ...]
    exceptions: tuple[GuardrailException, ...]


@dataclass(frozen=True, slots=True)
class Exempted:
    """A finding that an exception accepts."""

    finding: Diagnostic
    reason: str


@dataclass(frozen=True, slots=True)
class Held:
    """What guardrails say: findings, and those that an exception accepts."""

    findings: tuple[Diagnostic, ...]
    exempted: tuple[Exempted, ...] = ()


def compiled(
    guardrail: Policy[GuardrailSpec], today: date
) -> tuple[tuple[CompiledRule, ...], tuple[Diagnostic, ...]]:
    """The rules that are right, and what is wrong with the others and with the exceptions."""
    rules, findings = [], [*_duplicates(guardrail), *_exceptions(guardrail, today)]
    for index, rule in enumerate(guardrail.spec.rules):
        reading = _RuleReading(guardrail, index, rule)
        made = reading.run(today)
        findings += reading.findings
        if made is not None:
            rules.append(made)
    return tuple(rules), tuple(sorted(findings))


class _RuleReading:
    """Compiles the expressions of one rule and collects what is wrong with them."""

    def __init__(self, guardrail: Policy[GuardrailSpec], index: int, rule: GuardrailRule) -> None:
        self._guardrail = guardrail
        self._path: KeyPath = ("spec", "rules", index)
        self._rule = rule
        self.findings: list[Diagnostic] = []

    def run(self, today: date) -> CompiledRule | None:
        rule = self._rule
        require = self._compile("require", rule.require, "BOOL")
        when = self._compile("when", rule.when, "BOOL") if rule.when is not None else None
        message = self._message(rule.message)
        if self.findings or require is None:
            return None
        current = (e for e in self._guardrail.spec.exceptions if e.rule == rule.id and not _is_over(e, today))
        return CompiledRule(rule, require, when, message, tuple(current))

    def _compile(self, key: str, text: str, wanted: str, start: int = 0) -> Expression | None:
        try:
            expression = compile_expression(text, self._rule.over, wanted)
        except ExpressionError as error:
            self._report(key, start + error.index, error.fact)
            return None
        for name in expression.named:
            fault = _unknown_name(name)
            if fault is not None:
                self._report(key, start + name.index, fault)
        return expression

    def _message(self, text: str) -> tuple[str | Expression, ...]:
        parts: list[str | Expression] = []
        end = 0
        for match in _PART.finditer(text):
            parts.append(text[end : match.start()])
            made = self._compile("message", match[1], "ANY", match.start(1))
            if made is not None and not made.is_sayable:
                self._report(
                    "message", match.start(1), "a whole part cannot be put into a message; name one of its fields"
                )
            parts += [made] if made is not None else []
            end = match.end()
        return (*parts, text[end:])

    def _report(self, key: str, index: int, fact: str) -> None:
        path = (*self._path, key)
        text = embedded(self._guardrail.document, path)
        span = text.span(index, index + 1) if text is not None else self._guardrail.span(*path)
        names = ", ".join(SCOPES[self._rule.over])
        remedy = f"A rule over {self._rule.over} may name {names}; their fields are in docs/guardrails.md."
        self.findings.append(finding("guardrail/expression", fact, span, path, remedy))


def _unknown_name(name: Named) -> str | None:
    """What is wrong with a path whose end cel-cpp cannot know: an argument of vLLM, a key of a policy."""
    first, _, rest = name.path.partition(".")
    if first == "arguments" and rest:
        argument = rest.partition(".")[0]
        if introduced(argument) is None:
            near = nearest(argument, _argument_names())
            return f"no vLLM from {versions()[0]} to {versions()[-1]} has an argument {argument}" + (
                f"; {near} is the nearest" if near else ""
            )
    if name.variable == "policy":
        return _unknown_key(name.path.split("."))
    return None


def _unknown_key(keys: list[str]) -> str | None:
    for length, key in enumerate(keys):
        known = known_keys("ModelService", tuple(keys[:length]))
        if not known:
            return None
        if key not in known:
            near = nearest(key, known)
            above = ".".join(("policy", *keys[:length]))
            return f"{above} has no key {key}" + (f"; {near} is the nearest" if near else "")
    return None


def _argument_names() -> tuple[str, ...]:
    table = load_table(versions()[-1])
    return table.names() if table is not None else ()


def _duplicates(guardrail: Policy[GuardrailSpec]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for index, rule in enumerate(guardrail.spec.rules):
        if rule.id in seen:
            path = ("spec", "rules", index, "id")
            yield finding(
                "guardrail/duplicate-id", f"rule {rule.id} is there twice", guardrail.span(*path), path, "Rename one."
            )
        seen.add(rule.id)


def _exceptions(guardrail: Policy[GuardrailSpec], today: date) -> Iterator[Diagnostic]:
    ids = {rule.id for rule in guardrail.spec.rules}
    for index, exception in enumerate(guardrail.spec.exceptions):
        path = ("spec", "exceptions", index)
        if exception.rule not in ids:
            near = nearest(exception.rule, ids)
            place = (*path, "rule")
            yield finding(
                "guardrail/unknown-rule",
                f"no rule {exception.rule} in this Guardrail",
                guardrail.span(*place),
                place,
                f"Write {near or 'the id of one of its rules'}.",
            )
        expires = _day(exception.expires)
        place = (*path, "expires")
        if expires is None:
            yield finding(
                "guardrail/no-date", f"{exception.expires} is no day", guardrail.span(*place), place, "Write a day."
            )
        elif expires < today:
            yield finding(
                "guardrail/exception-expired",
                f"the exception to {exception.rule} for {exception.subject} ended on {exception.expires}",
                guardrail.span(*place),
                place,
                f"Ask {exception.owner} to repair what it covers, or to set a later day.",
            )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _is_over(exception: GuardrailException, today: date) -> bool:
    expires = _day(exception.expires)
    return expires is None or expires < today


def hold(rules: Iterable[CompiledRule], stack: Stack, services: Iterable[Service] = ()) -> Held:
    """What the rules say of every part of a Stack, and of every service as its policy is written."""
    found: list[Diagnostic] = []
    exempted: list[Exempted] = []
    services = list(services)
    for rule in rules:
        asked = _policies(services) if rule.rule.over == "policy" else subjects(stack, rule.rule.over)
        for subject in asked:
            broken = _broken(rule, subject)
            if broken is None:
                continue
            exception = next((e for e in rule.exceptions if fnmatchcase(subject.owner, e.subject)), None)
            if exception is None:
                found.append(broken)
            else:
                exempted.append(
                    Exempted(broken, f"{exception.reason} ({exception.owner}, until {exception.expires})")
                )
    return Held(tuple(sorted(found)), tuple(exempted))


def _policies(services: Iterable[Service]) -> Iterator[Subject]:
    from google.protobuf import struct_pb2

    for service in services:
        document = service.policy.document
        value = struct_pb2.Struct()
        value.update(_of_texts(without_secret_values("", document.value)))
        paths = [path for path in document.places if all(isinstance(part, str) for part in path)]
        origins: dict[str, Origin] = {".".join(map(str, path)): service.policy.declared(*path) for path in paths}
        yield Subject({"policy": Described(value, origins)}, service.policy.declared("metadata", "name"), service.key)


def _of_texts(value: Any) -> Any:
    """A value as a Struct takes it: numbers are 64 bits wide."""
    if isinstance(value, Mapping):
        return {key: _of_texts(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_of_texts(inner) for inner in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _broken(rule: CompiledRule, subject: Subject) -> Diagnostic | None:
    if rule.when is not None and rule.when.evaluate(subject.variables) is not True:
        return None
    if rule.require.evaluate(subject.variables) is not False:
        return None
    span, path = _place(rule.require.named, subject)
    remedy = rule.rule.remedy or "Change it, or ask for an exception in the Guardrail."
    return Diagnostic(
        rule=f"guardrail/{rule.rule.id}",
        severity=Severity(rule.rule.severity),
        layer=Layer.POLICY,
        message=without_secrets(printable("".join(_shown(part, subject) for part in rule.message))),
        span=span,
        path=path,
        remedy=Remedy(remedy),
    )


def _shown(part: str | Expression, subject: Subject) -> str:
    if isinstance(part, str):
        return part
    value = part.evaluate(subject.variables)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if value is not None:
        return str(value)
    return "not set" if any(_is_absent(name, subject) for name in part.named) else "unknown"


def _is_absent(name: Named, subject: Subject) -> bool:
    """Whether nobody wrote a value, which is another matter than one that cannot be told."""
    described = subject.variables.get(name.variable)
    return described is not None and name.path in described.absent


def _place(named: Iterable[Named], subject: Subject) -> tuple[Span, KeyPath]:
    """The first value that the rule names and somebody wrote, else what names the subject."""
    for name in named:
        part = subject.variables.get(name.variable)
        place = _declared(part.origins.get(name.path)) if part is not None else None
        if place is not None:
            return place.span, place.path
    whole = _declared(subject.place)
    return (whole.span, whole.path) if whole is not None else (Span("", 1, 1, 1, 1), ())


def _declared(origin: Origin | None) -> Declared | None:
    if isinstance(origin, Derived):
        return next((found for given in origin.inputs if (found := _declared(given.origin)) is not None), None)
    return origin if isinstance(origin, Declared) else None
