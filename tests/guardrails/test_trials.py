from __future__ import annotations

from controlplane.guardrails.trials import Trial, trials
from tests.guardrails.guarding import DEPLOYMENT, TODAY, guardrail, loaded

_RULE = "- {id: two-gpus, over: engine, require: engine.tensor_parallel <= 2, message: too many}"


def _tried(tests: str, exceptions: str = "") -> list[Trial]:
    return list(trials(loaded(guardrail(_RULE, exceptions, tests)), TODAY))


def _test(expect: str, given: str = DEPLOYMENT) -> str:
    lines = "\n".join(f"    {line}" for line in given.strip().splitlines())
    return f"- name: four GPUs\n  expect: {expect}\n  given: |\n{lines}"


def test_expected_finding_makes_a_test_pass() -> None:
    (trial,) = _tried(_test("[two-gpus]"))
    assert trial.as_expected


def test_finding_that_is_missing_or_not_expected_fails_a_test() -> None:
    (unexpected,) = _tried(_test("[]"))
    assert not unexpected.as_expected
    assert unexpected.found == (("two-gpus", "too many"),)
    (missing,) = _tried(_test("[two-gpus, two-gpus]"))
    assert not missing.as_expected


def test_exceptions_do_not_count_in_tests() -> None:
    exception = '- {rule: two-gpus, subject: "*", reason: large, owner: search, expires: "2027-01-01"}'
    (trial,) = _tried(_test("[two-gpus]"), exception)
    assert trial.as_expected


def test_example_that_cannot_be_read_is_refused_at_its_place() -> None:
    (trial,) = _tried(_test("[]", "apiVersion: apps/v1\nkind: [Deployment"))
    assert not trial.as_expected
    assert trial.refused[0].span.file == "guardrail.yaml"
    assert trial.refused[0].span.line > 8
