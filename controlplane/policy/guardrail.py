"""Guardrail: an organisation's own rules, in CEL over what the Stack declares."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from controlplane.policy.vocabulary import Items, Name, PolicyMetadata, Strict

_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


class GuardrailRule(Strict):
    """One rule: what it looks at, what has to hold, and what is said when it does not."""

    id: Name
    """Its id; findings call it `guardrail/<id>`."""
    over: Literal["workload", "pods", "container", "engine", "deployment", "policy"]
    """What it is asked of, one by one: the variable of that name, with its parents, is there in the expressions."""
    when: str | None = None
    """CEL, true where the rule applies; default: everywhere."""
    require: str
    """CEL that has to be true. A rule whose values are not known says nothing."""
    message: str
    """What is said when it is false. `{engine.tensor_parallel}` puts in the value of an expression."""
    severity: Literal["error", "warning", "info"] = "error"
    """How bad it is."""
    remedy: str | None = None
    """What to do then, ending in a full stop."""


class GuardrailException(Strict):
    """Who may break a rule, why, and until when."""

    rule: Name
    """The rule's id."""
    subject: str
    """`namespace/name` of the workload or service, where `*` stands for any characters."""
    reason: Annotated[str, Field(min_length=1)]
    """Why this is right."""
    owner: Annotated[str, Field(min_length=1)]
    """Who answers for it."""
    expires: Annotated[str, Field(pattern=_DATE)]
    """The last day on which it holds, as 2027-03-31. Quote it."""


class GuardrailTest(Strict):
    """An example that `controlplane test` judges."""

    name: Annotated[str, Field(min_length=1)]
    """What it shows."""
    given: str
    """Manifests or policies, as text."""
    expect: Items[Name] = ()
    """The rules that have to be broken, once for every finding; none where the example is right."""


class GuardrailSpec(Strict):
    """An organisation's rules with their exceptions and tests."""

    rules: Annotated[Items[GuardrailRule], Field(min_length=1, strict=False)]
    """The rules."""
    exceptions: Items[GuardrailException] = ()
    """What may break them for now."""
    tests: Items[GuardrailTest] = ()
    """Examples that show what the rules mean."""


class Guardrail(Strict):
    """An organisation's own rules, held against every policy and manifest."""

    api_version: Literal["controlplane.dev/v1alpha1"]
    """Version of this form."""
    kind: Literal["Guardrail"]
    """What this is."""
    metadata: PolicyMetadata
    """Its name."""
    spec: GuardrailSpec
    """What it says."""
