"""LLMConfigs to ask Ray Serve LLM about: what decides bundles, replicas and names."""

from __future__ import annotations

from typing import Any


def llm_configs() -> dict[str, dict[str, Any]]:
    """The configurations by what is special about them; the model is called `org/m-1.5` in each."""
    parallel = {"tensor_parallel_size": 2, "pipeline_parallel_size": 2}
    special: dict[str, dict[str, Any]] = {
        "nothing but a model": {},
        "an accelerator": {"accelerator_type": "L4"},
        "an accelerator by its old name": {"accelerator_type": "A10"},
        "an accelerator with its memory": {"accelerator_type": "A100-80G"},
        "ranks": {"engine_kwargs": parallel},
        "ranks on an accelerator": {"engine_kwargs": parallel, "accelerator_type": "H100"},
        "data parallel ranks": {"engine_kwargs": {"tensor_parallel_size": 2, "data_parallel_size": 4}},
        "TPUs by name": {"accelerator_type": "TPU-V6E", "engine_kwargs": {"tensor_parallel_size": 4}},
        "TPUs by kind": {"accelerator_config": {"kind": "tpu"}},
        "CPUs": {"accelerator_config": {"kind": "cpu"}, "engine_kwargs": {"tensor_parallel_size": 2}},
        "GPUs by kind": {"accelerator_config": {"kind": "gpu"}},
        "bundles": {"placement_group_config": {"bundles": [{"GPU": 1, "CPU": 2}, {"GPU": 1}]}},
        "bundles and a strategy": {"placement_group_config": {"bundles": [{"GPU": 1}], "strategy": "STRICT_PACK"}},
        "bundles on an accelerator": {
            "placement_group_config": {"bundles": [{"GPU": 1}, {"GPU": 1, "accelerator_type:L4": 1}]},
            "accelerator_type": "L4",
        },
        "a bundle for each worker": {
            "placement_group_config": {"bundle_per_worker": {"GPU": 1, "CPU": 4}},
            "engine_kwargs": parallel,
        },
        "a share of a GPU": {"placement_group_config": {"bundle_per_worker": {"GPU": 0.5}}},
        "CPU bundles": {"placement_group_config": {"bundles": [{"CPU": 4}]}},
        "a remote source": {"model_loading_config": {"model_id": "org/m-1.5", "model_source": "s3://b/m"}},
        "another source": {"model_loading_config": {"model_id": "org/m-1.5", "model_source": "org/other"}},
    }
    return (
        special
        | {f"replicas {what}": {"deployment_config": found} for what, found in _replicas().items()}
        | _ranked()
    )


def _replicas() -> dict[str, dict[str, Any]]:
    return {
        "as a number": {"num_replicas": 3},
        "by themselves": {"num_replicas": "auto"},
        "by themselves up to a number": {"num_replicas": "auto", "autoscaling_config": {"max_replicas": 4}},
        "between bounds": {"autoscaling_config": {"min_replicas": 2, "max_replicas": 4, "initial_replicas": 3}},
        "up to a number": {"autoscaling_config": {"max_replicas": 4}},
        "from zero": {"autoscaling_config": {"min_replicas": 0, "max_replicas": 2}},
        "with a target alone": {"autoscaling_config": {"target_ongoing_requests": 8}},
        "under another name": {"name": "mine", "num_replicas": 2},
    }


def _ranked() -> dict[str, dict[str, Any]]:
    ranks = {"engine_kwargs": {"data_parallel_size": 2}}
    return {f"ranks and replicas {what}": ranks | {"deployment_config": found} for what, found in _replicas().items()}
