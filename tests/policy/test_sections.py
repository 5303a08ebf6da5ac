"""Sections from named policies with overrides, and keys that a policy locks."""

from __future__ import annotations

from controlplane.stack.facts import Declared, Derived, Known
from tests.policy.folder import FLEET, findings, load, only_service, remedy, service, told

MACHINE = """\
apiVersion: controlplane.dev/v1alpha1
kind: MachinePolicy
metadata: {name: standard}
spec:
  pool: h100
  cpu: 8
  termination: {preStop: 20s, drain: 60s}
  locked: [termination.drain, pool]
"""

MEMORY = """\
apiVersion: controlplane.dev/v1alpha1
kind: MemoryPolicy
metadata: {name: short}
spec:
  maxModelLen: 4096
  extraArgs: {max_loras: 4, enable_lora: true}
  locked: [extraArgs.max_loras]
"""


def test_named_policy_gives_its_values_and_their_places() -> None:
    machine = only_service(FLEET, MACHINE, service(machine="{policy: standard}")).machine
    assert machine.value.pool == "h100"
    cpu = machine.fact(machine.value.cpu, "cpu")
    assert isinstance(cpu, Known)
    assert isinstance(cpu.origin, Declared)
    assert (cpu.origin.span.file, cpu.origin.span.line) == ("1.yaml", 6)


def test_override_replaces_one_key_and_leaves_its_neighbours() -> None:
    machine = only_service(FLEET, MACHINE, service(machine="{policy: standard, termination: {preStop: 5s}}")).machine
    assert (machine.value.termination.pre_stop, machine.value.termination.drain) == (5, 60)
    stop = machine.fact(machine.value.termination.pre_stop, "termination", "preStop")
    assert isinstance(stop, Known)
    assert isinstance(stop.origin, Declared)
    assert stop.origin.span.file == "2.yaml"


def test_key_that_nobody_writes_is_a_default_and_says_so() -> None:
    machine = only_service(FLEET, MACHINE, service(machine="{policy: standard}")).machine
    spread = machine.fact(machine.value.spread, "spread")
    assert spread == Known("none", Derived(""))
    assert isinstance(spread, Known)
    assert str(spread.origin) == "default of machine.spread, which no policy sets"


def test_extra_arguments_are_overridden_one_by_one() -> None:
    memory = only_service(FLEET, MEMORY, service(memory="{policy: short, extraArgs: {enable_lora: false}}")).memory
    assert dict(memory.value.extra_args) == {"max_loras": 4, "enable_lora": False}


def test_override_of_a_locked_key_is_refused_at_both_places() -> None:
    found = findings(FLEET, MACHINE, service(machine="{policy: standard, pool: a100}"))
    (locked,) = found
    assert locked.rule == "policy/locked-key"
    assert (locked.span.file, locked.span.line, locked.span.column) == ("2.yaml", 8, 31)
    assert [(r.span.file, r.span.line, r.span.column) for r in locked.related] == [("1.yaml", 8, 31)]
    assert '"a100"' in locked.message
    assert '"h100"' in locked.message


def test_locked_nested_key_is_refused_and_its_neighbour_is_free() -> None:
    text = service(machine="{policy: standard, termination: {preStop: 5s, drain: 5s}}")
    assert [d.path for d in findings(FLEET, MACHINE, text)] == [("spec", "machine", "termination", "drain")]


def test_lock_on_a_mapping_locks_all_below_it() -> None:
    policy = MACHINE.replace("[termination.drain, pool]", "[termination]")
    text = service(machine="{policy: standard, termination: {preStop: 5s}}")
    assert told("policy/locked-key", policy, text).path[-1] == "preStop"


def test_locked_extra_argument_is_refused() -> None:
    text = service(memory="{policy: short, extraArgs: {max_loras: 8}}")
    found = told("policy/locked-key", MEMORY, text)
    assert "the number 8" in found.message
    assert "the number 4" in found.message


def test_refused_override_leaves_the_locked_value_in_force() -> None:
    policy_set, _ = load(FLEET, MACHINE, service(machine="{policy: standard, pool: a100}"))
    assert policy_set.services[0].machine.value.pool == "h100"


def test_lock_on_an_unknown_key_gets_the_nearest_known_one() -> None:
    found = told("policy/unknown-locked-key", MACHINE.replace("pool]", "pol]"))
    assert (found.span.line, found.span.column) == (8, 31)
    assert remedy(found) == "Write `pool`."


def test_lock_on_an_unknown_nested_key_gets_the_nearest_known_one() -> None:
    found = told("policy/unknown-locked-key", MACHINE.replace("termination.drain", "termination.drian"))
    assert remedy(found) == "Write `termination.drain`."


def test_unknown_policy_gets_the_nearest_name() -> None:
    found = told("policy/unknown-reference", MACHINE, service(machine="{policy: standart}"))
    assert found.path == ("spec", "machine", "policy")
    assert remedy(found) == "Write `standard`."


def test_policy_of_another_kind_is_not_found() -> None:
    found = told("policy/unknown-reference", MACHINE, service(memory="{policy: standard}"))
    assert "no MemoryPolicy is called `standard`" in found.message


def test_rollout_may_be_named_in_short() -> None:
    rollout = (
        "apiVersion: controlplane.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: careful}\n"
        "spec: {timeouts: {machines: 5m}}\n"
    )
    assert only_service(FLEET, rollout, service(rollout="careful")).rollout.value.timeouts.machines == 300


def test_unknown_rollout_in_short_is_shown_at_its_name() -> None:
    found = told("policy/unknown-reference", service(rollout="careful"))
    assert (found.span.line, found.span.column) == (10, 12)


def test_bad_value_in_a_named_policy_is_told_once_and_nothing_follows_from_it() -> None:
    found = findings(FLEET, MACHINE.replace("preStop: 20s", "preStop: 20"), service(machine="{policy: standard}"))
    assert [d.rule for d in found] == ["policy/bad-value"]


def test_bare_text_names_a_policy_only_for_a_rollout() -> None:
    assert [f.rule for f in findings(FLEET, service(memory="short"))] == ["policy/wrong-type"]
    assert [f.rule for f in findings(FLEET, service(rollout="short"))] == ["policy/unknown-reference"]


def test_repeating_a_locked_value_overrides_nothing() -> None:
    policy = """\
apiVersion: controlplane.dev/v1alpha1
kind: MachinePolicy
metadata: {name: m}
spec: {pool: h100, cpu: 4, locked: [pool, cpu, memory]}
"""
    assert findings(FLEET, policy, service(machine="{policy: m, pool: h100}")) == []
    found = findings(FLEET, policy, service(machine='{policy: m, cpu: "4", memory: 8Gi}'))
    assert [f.rule for f in found] == ["policy/locked-key", "policy/locked-key"]
