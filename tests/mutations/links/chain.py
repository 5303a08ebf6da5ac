"""The links of the chain, by good manifest."""

from __future__ import annotations

from tests.mutations.links import (
    autoscaled,
    deployment,
    engines,
    groups,
    jobs,
    kserve,
    pods,
    policies,
    ray,
    scaled,
    upgrades,
)
from tests.mutations.links.link import Link, Rows, links

_ROWS: dict[str, Rows] = {
    "deployment": deployment.DEPLOYMENT,
    "autoscaled": autoscaled.AUTOSCALED,
    "scaled_object": scaled.SCALED_OBJECT,
    "serve_llm": ray.SERVE_LLM,
    "serve": ray.SERVE,
    "ray_cluster": ray.RAY_CLUSTER,
    "ray_upgrade": upgrades.RAY_UPGRADE,
    "ray_job": jobs.RAY_JOB,
    "queued": jobs.QUEUED,
    "cron_job": jobs.CRON_JOB,
    "leader_worker_set": groups.LEADER_WORKER_SET,
    "stateful_set": groups.STATEFUL_SET,
    "data_parallel": engines.DATA_PARALLEL,
    "small": pods.SMALL,
    "busy": pods.BUSY,
    "neighbours": pods.NEIGHBOURS,
    "script": engines.SCRIPT,
    "disaggregated": engines.DISAGGREGATED,
    "slices": engines.SLICES,
    "old_release": engines.OLD_RELEASE,
    "llm_inference_service": kserve.LLM_INFERENCE_SERVICE,
    "inference_service": kserve.INFERENCE_SERVICE,
    "policy": policies.POLICY,
}

LINKS: tuple[Link, ...] = tuple(link for base, rows in _ROWS.items() for link in links(base, rows))
