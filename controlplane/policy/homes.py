"""Where each knob lives, and what to say when it is written elsewhere.

A knob has exactly one home. Whoever writes it in another section usually thinks that another layer owns it, so the
finding says which one does, and why.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.policy.kinds import SECTIONS, known_keys

OWNERS: Final[Mapping[str, str]] = {
    "machine": "Kubernetes'",
    "task": "the task layer's",
    "memory": "vLLM's",
    "rollout": "the rollout's",
    "model": "the model's",
    "runtime": "the runtime's",
    "service": "the Service's",
}

_REASONS: Final[Mapping[str, str]] = {
    "gpuMemoryUtilization": "a whole-GPU request does not limit memory",
    "maxNumSeqs": "how many sequences run in one step is decided inside the engine, not by pods or replicas",
    "maxNumBatchedTokens": "the token budget of a step is decided inside the engine",
    "maxModelLen": "sequences live in the engine's KV blocks, which no pod or replica sees",
    "kvCacheDtype": "the KV cache is inside the engine",
    "tensorParallel": "the engine splits its layers; the pod's GPUs follow from it",
    "pipelineParallel": "the engine splits its layers; the pod's GPUs follow from it",
    "replicas": "how many engines run is not a property of a pod or of an engine",
    "gpusPerPod": "it follows from tensorParallel × pipelineParallel unless it is set there",
    "memory": "it is the pod's memory on the node, not the GPU's",
    "cpu": "it is what a pod requests of a node",
    "sharedMemory": "it is a volume of the pod",
    "pool": "the pool's nodes are chosen by the scheduler, from labels and taints",
    "priorityClass": "it orders pods, not requests",
    "termination": "a pod's end is timed by the kubelet",
    "probes": "the kubelet asks them",
    "image": "one image holds one version of vLLM",
    "vllm": "one image holds one version of vLLM",
}

_ELSEWHERE: Final[Mapping[str, str]] = {
    "nodeSelector": "Set `labels` or `selector` of the pool in the Fleet; every pod of the pool gets them.",
    "affinity": "Set `labels` or `selector` of the pool in the Fleet; every pod of the pool gets them.",
    "tolerations": "Set `taints` of the pool in the Fleet; every pod of the pool gets the tolerations.",
    "resources": "Set `machine.cpu` and `machine.memory`; the GPUs follow from `memory.tensorParallel`.",
    "requests": "Set `machine.cpu` and `machine.memory`; the GPUs follow from `memory.tensorParallel`.",
    "limits": "Set `machine.cpu` and `machine.memory`; the GPUs follow from `memory.tensorParallel`.",
    "gpus": "Set `memory.tensorParallel`; a pod gets that many GPUs. To give it more, set `task.gpusPerPod`.",
    "terminationGracePeriodSeconds": "Set `machine.termination.grace`.",
    "livenessProbe": "Set `machine.probes`; the probes' paths are chosen for vLLM.",
    "readinessProbe": "Set `machine.probes`; the probes' paths are chosen for vLLM.",
    "startupProbe": "Set `machine.probes`; its budget is computed from the model's bytes.",
    "maxSurge": "Set `rollout.surge`.",
    "maxUnavailable": "Set `machine.disruption.maxUnavailable`; a rollout is steered by `rollout.surge`.",
    "shutdownTimeout": "Set `machine.termination.drain`.",
    "servedModelName": "Set `model.servedName`.",
    "secrets": "List them under `env`, each as {name: …, secret: {name: …, key: …}}.",
    "token": "Set `model.from.hub.secret` to {name: …, key: …} of a Secret.",
}


@dataclass(frozen=True, slots=True)
class Home:
    """Where a knob lives: the section, and the keys inside it."""

    section: str
    keys: tuple[str, ...]

    def path(self) -> str:
        """The knob as people write it: `machine.termination.grace`."""
        return ".".join((self.section, *self.keys))

    def reason(self) -> str:
        """Why it lives there, in words that follow 'is vLLM's: '."""
        for key in reversed(self.keys):
            if key in _REASONS:
                return _REASONS[key]
        return f"it stands in the `{self.section}` section"


def home_of(key: str, parent: tuple[str, ...]) -> Home | None:
    """The home of a key that is not known at `parent` (a section and keys inside it), spelled in any usual way.

    A home in the same section, at another level, comes first.
    """
    homes = [home for home in _homes().get(fold(key), ()) if (home.section, *home.keys[:-1]) != parent]
    near = [home for home in homes if parent and home.section == parent[0]]
    return next(iter((*near, *homes)), None)


def elsewhere(key: str) -> str | None:
    """What to write instead of a key that comes from a manifest or a command line and has no home of that name."""
    return next((text for name, text in _ELSEWHERE.items() if fold(name) == fold(key)), None)


def fold(key: str) -> str:
    """A key without case and separators: `--max-model-len`, `max_model_len` and `maxModelLen` are the same."""
    plain = "".join(c for c in key.casefold() if c.isalnum())
    return {"tensorparallelsize": "tensorparallel", "pipelineparallelsize": "pipelineparallel"}.get(plain, plain)


@functools.cache
def _homes() -> Mapping[str, tuple[Home, ...]]:
    """Homes by folded key, those at the top of a section first."""
    homes = [Home(s, keys) for s in (*SECTIONS, "model", "runtime", "service") for keys in _keys_below(s)]
    found: dict[str, tuple[Home, ...]] = {}
    for home in sorted(homes, key=lambda h: len(h.keys)):
        key = fold(home.keys[-1])
        found[key] = (*found.get(key, ()), home)
    return found


def _keys_below(section: str) -> list[tuple[str, ...]]:
    direct = known_keys("ModelService", ("spec", section))
    below = [(key, inner) for key in direct for inner in known_keys("ModelService", ("spec", section, key))]
    skipped = {"policy", "name", "key", "kind", "path"}
    return [keys for keys in [*((key,) for key in direct), *below] if keys[-1] not in skipped]
