"""What releases of Ray let a Serve configuration say."""

from __future__ import annotations

import pytest

from controlplane.stack import ray_tables
from controlplane.stack.gpu_catalogue import gpu
from controlplane.stack.ray_tables import (
    accelerator_types,
    deployment_options,
    forbids_unknown,
    llm_config_fields,
    llm_defaults,
    nearest_option,
    option,
    option_since,
    options,
    removed_option,
    vllm_of_ray,
)


@pytest.mark.parametrize(
    ("ray", "lock"),
    [
        ("2.44.1", ">=0.7.2"),
        ("2.46.0", ">=0.8.5"),
        ("2.48.0", ">=0.9.2"),
        ("2.49.2", ">=0.10.0"),
        ("2.50.1", ">=0.10.2"),
        ("2.51.0", ">=0.11.0"),
        ("2.52.0", ">=0.11.0"),
        ("2.53.0", ">=0.12.0"),
        ("2.54.0", ">=0.15.0"),
        ("2.55.0", ">=0.18.0"),
        ("2.56.0", "==0.22.0"),
        ("2.57.0", "==0.25.1"),
        ("2.58.0", "==0.26.0"),
        ("2.59.0", "==0.27.0"),
        ("2.60.0", "==0.29.0"),
    ],
)
def test_lock_is_that_of_the_release(ray: str, lock: str) -> None:
    found = vllm_of_ray(ray)
    assert found is not None
    assert found.text == lock
    assert found.exact is lock.startswith("==")


def test_lock_admits_versions() -> None:
    open_ended, exact = vllm_of_ray("2.52.0"), vllm_of_ray("2.60.0")
    assert open_ended is not None
    assert exact is not None
    assert [open_ended.admits(version) for version in ("0.10.2", "0.11.0", "0.33.0")] == [False, True, True]
    assert [exact.admits(version) for version in ("0.29.0", "v0.29.0", "0.33.0")] == [True, True, False]
    assert exact.admits("nightly") is None


def test_release_of_a_minor_that_nobody_read_has_no_answer() -> None:
    assert vllm_of_ray("2.61.0") is None
    assert vllm_of_ray("nightly") is None
    assert deployment_options("2.61.0") is None
    assert accelerator_types("3.0.0") is None
    assert llm_defaults("2.10.0") is None


@pytest.mark.parametrize(
    ("ray", "expected"),
    [
        ("2.44.0", (20, 10, 10)),
        ("2.48.0", (20, 10, 10)),
        ("2.49.0", (10**9, 10**9, 10)),
        ("2.50.0", (10**9, 10**9, 1)),
        ("2.60.0", (10**9, 10**9, 1)),
    ],
)
def test_defaults_of_serve_llm_changed_twice(ray: str, expected: tuple[int, int, int]) -> None:
    found = llm_defaults(ray)
    assert found is not None
    assert (found.max_ongoing_requests, found.target_ongoing_requests, found.max_replicas) == expected


@pytest.mark.parametrize(
    ("model", "name", "since"),
    [
        ("DeploymentSchema", "max_ongoing_requests", "2.44.0"),
        ("DeploymentSchema", "gang_scheduling_config", "2.55.0"),
        ("DeploymentSchema", "backpressure_config", "2.58.0"),
        ("DeploymentSchema", "max_surge_percent", "2.60.0"),
        ("LLMConfig", "placement_group_config", "2.51.0"),
        ("LLMConfig", "accelerator_config", "2.56.0"),
        ("AutoscalingConfig", "policy", "2.50.0"),
        ("RayActorOptionsSchema", "label_selector", "2.54.0"),
    ],
)
def test_option_appears_with_its_release(model: str, name: str, since: str) -> None:
    assert option_since(model, name) == since
    assert name in (options(model, "2.60.0") or ())


def test_removed_option_names_the_release() -> None:
    removal = removed_option("LLMConfig", "resources_per_bundle", "2.52.0")
    assert removal is not None
    assert (removal.name, removal.last_in, removal.gone_in) == ("resources_per_bundle", "2.50.1", "2.51.0")
    assert "resources_per_bundle" in (llm_config_fields("2.50.0") or ())


def test_serve_ignores_unknown_keys_of_a_deployment_and_refuses_those_of_an_llm_config() -> None:
    assert forbids_unknown("DeploymentSchema", "2.52.0") is False
    assert forbids_unknown("LLMConfig", "2.52.0") is True
    assert forbids_unknown("LLMConfig", "2.61.0") is None


def test_option_says_what_it_takes() -> None:
    replicas = option("DeploymentSchema", "num_replicas", "2.60.0")
    assert replicas is not None
    assert set(replicas.kinds) == {"int", "str"}
    assert not replicas.bounds.allow(0)
    target = option("AutoscalingConfig", "target_ongoing_requests", "2.60.0")
    assert target is not None
    assert (target.kinds, target.default) == (("float",), 2)
    strategy = option("GangSchedulingConfig", "gang_placement_strategy", "2.60.0")
    assert strategy is not None
    assert strategy.choices == ("PACK", "SPREAD")
    nested = option("DeploymentSchema", "ray_actor_options", "2.60.0")
    assert nested is not None
    assert nested.model == "RayActorOptionsSchema"
    name = option("DeploymentSchema", "name", "2.60.0")
    assert name is not None
    assert name.required
    assert option("DeploymentSchema", "nothing", "2.60.0") is None


def test_misspelled_option_has_a_nearest_one() -> None:
    assert nearest_option("LLMConfig", "acelerator_type", "2.60.0") == "accelerator_type"


def test_accelerator_types_of_gpus_are_in_the_gpu_catalogue() -> None:
    types = accelerator_types("2.60.0")
    assert types is not None
    assert {"H100", "A100-80G", "L4", "B300"} <= types
    others = ("AMD-Instinct-MI100", "AMD-Instinct-MI300A", "AMD-Radeon", "Apple", "Ascend", "FURIOSA", "Intel", "K80")
    others += ("M1", "M2", "M3", "MOBILINT", "MXC", "TPU", "aws-neuron-core")
    assert [name for name in sorted(types) if not name.startswith(others) and gpu(name) is None] == []


def test_releases_are_in_order() -> None:
    assert ray_tables.releases()[0] == "2.44.0"
    assert ray_tables.releases()[-1] == "2.60.0"
