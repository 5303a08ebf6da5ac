from __future__ import annotations

from typing import Any

from controlplane.plan.engine_health import EngineAnswer, EngineState, assess_engines
from controlplane.plan.health import HealthLayer, HealthStatus, ObjectHealth
from controlplane.stack.references import ObjectRef

REF = ObjectRef("apps/v1", "Deployment", "llm", "chat")


def answers(pod: str, *models: str, kv_blocks: int | None = None) -> EngineAnswer:
    return EngineAnswer(pod, EngineState.ANSWERS, "answers", models, kv_blocks)


def refuses(pod: str) -> EngineAnswer:
    return EngineAnswer(pod, EngineState.REFUSES, "/health answered 503; a ready engine answers 200")


def simulated(pod: str) -> EngineAnswer:
    return EngineAnswer(pod, EngineState.SIMULATED, "simulated: no engine to ask")


def judged(*given: EngineAnswer, wanted: int = 2, **more: Any) -> ObjectHealth:
    health = assess_engines(REF, given, wanted=wanted, model="chat", **more)
    assert health.layer is HealthLayer.MEMORY
    return health


def test_all_engines_serving_the_model_are_healthy() -> None:
    health = judged(answers("a", "chat"), answers("b", "chat", "lora"))
    assert (health.status, health.ready, health.wanted) == (HealthStatus.HEALTHY, 2, 2)
    assert health.message == "2 of 2 engines serve 'chat'"


def test_an_engine_that_refuses_is_waited_for_and_quoted() -> None:
    health = judged(answers("a", "chat"), refuses("b"))
    assert (health.status, health.reason) == (HealthStatus.PROGRESSING, "EngineRefuses")
    assert health.message == "1 of 2 engines answer; b: /health answered 503; a ready engine answers 200"


def test_an_engine_with_another_model_is_not_counted() -> None:
    health = judged(answers("a", "chat"), answers("b", "old-chat"))
    assert (health.reason, health.message) == ("OtherModel", "1 of 2 engines serve 'chat'; b serves old-chat")


def test_fewer_engines_than_wanted_are_not_capacity() -> None:
    health = judged(answers("a", "chat"))
    assert (health.status, health.reason) == (HealthStatus.PROGRESSING, "EnginesMissing")


def test_simulated_pods_are_called_simulated() -> None:
    health = judged(simulated("a"), simulated("b"))
    assert (health.status, health.reason, health.simulated) == (HealthStatus.HEALTHY, "Simulated", 2)
    assert health.message == "2 of 2 pods are simulated: no engine to ask"


def test_kv_blocks_far_from_the_plan_are_a_warning_and_no_failure() -> None:
    health = judged(answers("a", "chat", kv_blocks=950), answers("b", "chat", kv_blocks=500), planned_blocks=1000)
    assert health.healthy
    assert health.warnings == ("b has 500 KV blocks; 1000 were planned",)
