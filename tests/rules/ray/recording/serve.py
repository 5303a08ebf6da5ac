"""Asks Ray Serve what it says of the configurations in manifests: one line a file that it refuses, and why.

    pip install 'ray[serve]==2.60.0' pyarrow pandas jsonref pyyaml
    python serve.py FOLDER > serve.tsv

Run from another folder, so that nothing here is imported in place of the standard library.
"""

# mypy: ignore-errors

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import yaml


def check(config: dict) -> None:
    """Raises what Serve raises for a configuration when it is put, and when its applications are deployed."""
    from ray.serve.schema import ServeDeploySchema

    ServeDeploySchema.model_validate(config)
    for application in config["applications"]:
        for deployment in application.get("deployments", []):
            check_deployment(deployment)
        for llm in (application.get("args") or {}).get("llm_configs", []):
            check_llm(llm)


def check_deployment(deployment: dict) -> None:
    """The checks of `override_deployment_info` (2.60, `serve/_private/application_state.py`)."""
    from ray.serve._private.config import ReplicaConfig
    from ray.serve.config import AutoscalingConfig

    scaling = deployment.get("autoscaling_config")
    if scaling is not None:
        default = AutoscalingConfig.default().model_dump() if deployment.get("num_replicas") == "auto" else {}
        AutoscalingConfig(**{**default, **scaling})
    if deployment.get("placement_group_bundles"):
        ReplicaConfig.create(
            lambda: None,
            ray_actor_options=dict(deployment.get("ray_actor_options") or {"num_cpus": 0}),
            placement_group_bundles=deployment["placement_group_bundles"],
            placement_group_strategy=deployment.get("placement_group_strategy"),
        )


def check_llm(llm: dict) -> None:
    """The LLMConfig itself; what needs vLLM to be installed is not asked."""
    from ray.llm._internal.common.placement import PlacementGroupConfig
    from ray.llm._internal.serve.core.configs.llm_config import LLMConfig

    LLMConfig.model_validate(llm)
    if llm.get("placement_group_config") is not None:
        PlacementGroupConfig(**llm["placement_group_config"])


def main(folder: str) -> None:
    """Every manifest of a folder."""
    warnings.simplefilter("ignore")
    for path in sorted(Path(folder).glob("*.yaml")):
        for manifest in yaml.safe_load_all(path.read_text()):
            text = (manifest.get("spec") or {}).get("serveConfigV2")
            try:
                if text:
                    check(yaml.safe_load(text))
            except Exception as fault:
                print(path.name, " ".join(str(fault).split()), sep="\t")


if __name__ == "__main__":
    main(sys.argv[1])
