"""Asks the scheduler of Ray's autoscaler whether it can place made-up placement groups, and writes its answers.

    pip install 'ray[default]==2.60.0'
    python ray_scheduler.py > ray_scheduler.json

Amounts are [CPU, GPU]. The scheduler places greedily: it may fail where a packing exists, never the other way round.
"""

# mypy: ignore-errors
# ruff: noqa: S311

from __future__ import annotations

import inspect
import json
import logging
import random

from ray.autoscaler.v2.instance_manager.config import NodeTypeConfig
from ray.autoscaler.v2.scheduler import ResourceDemandScheduler, SchedulingRequest
from ray.autoscaler.v2.utils import ResourceRequestUtil
from ray.core.generated.autoscaler_pb2 import GangResourceRequest

STRATEGIES = ("PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD")
APART = ResourceRequestUtil.PlacementConstraintType.ANTI_AFFINITY


class Silent:
    """Takes every event and does nothing."""

    def __getattr__(self, name):
        return lambda *_, **__: None


def named(amounts):
    return {name: amount for name, amount in zip(("CPU", "GPU"), amounts, strict=True) if amount}


def gang_request(number, strategy, bundles):
    """A placement group as the autoscaler is told of it: STRICT_PACK as one request, STRICT_SPREAD as apart."""
    if strategy == "STRICT_PACK":
        bundles = [[sum(amounts) for amounts in zip(*bundles, strict=True)]]
    apart = [(APART, f"group-{number}", "")] if strategy == "STRICT_SPREAD" else []
    return GangResourceRequest(requests=[ResourceRequestUtil.make(named(bundle), apart) for bundle in bundles])


def is_placed(nodes, gangs):
    types = {"head": NodeTypeConfig(name="head", resources={}, min_worker_nodes=0, max_worker_nodes=1)}
    for index, (amounts, count) in enumerate(nodes):
        name = f"n{index}"
        types[name] = NodeTypeConfig(name=name, resources=named(amounts), min_worker_nodes=0, max_worker_nodes=count)
    given = {
        "node_type_configs": types,
        "max_num_nodes": 1 + sum(count for _, count in nodes),
        "current_instances": [],
        "resource_requests": [],
        "cluster_resource_constraints": [],
        "gang_resource_requests": [gang_request(index, *gang) for index, gang in enumerate(gangs)],
        "head_node_type": "head",
        "disable_launch_config_check": True,
    }
    known = inspect.signature(SchedulingRequest).parameters
    request = SchedulingRequest(**{name: value for name, value in given.items() if name in known})
    return not ResourceDemandScheduler(Silent()).schedule(request).infeasible_gang_resource_requests


def bundle():
    return [random.randint(1, 4), random.randint(0, 2)]


def main():
    logging.disable(logging.CRITICAL)
    random.seed(20261129)
    cases = []
    while len(cases) < 200:
        nodes = [([random.randint(1, 8), random.randint(0, 4)], random.randint(1, 3)) for _ in range(2)]
        gangs = [
            (random.choice(STRATEGIES), [bundle() for _ in range(random.randint(1, 4))])
            for _ in range(random.randint(1, 3))
        ]
        cases.append({"nodes": nodes, "gangs": gangs, "placed": is_placed(nodes, gangs)})
    lines = ",\n".join(json.dumps(case) for case in cases)
    print(f'{{"source": "Ray 2.60.0, autoscaler/v2/scheduler.py", "cases": [\n{lines}\n]}}')


if __name__ == "__main__":
    main()
