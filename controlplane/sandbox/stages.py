"""What simulated pods do: kwok's own fast stages, and failures that can be asked for.

No container runs in the sandbox. kwok plays a pod's life by stages, each a condition on the object and a status to
write. Its own make every pod Running and ready at once. Ours simulate what a rollout must survive; a pod asks for one
by the annotation `sandbox.controlplane.dev/simulate`:

    image-pull-failure   stays Pending, ErrImagePull and then ImagePullBackOff; also without the annotation for an
                         image whose tag or name holds `does-not-exist`
    crash-loop           its containers end with code 1, again and again, with a growing restart count
    slow-start           Running at once, ready after 20 s, or after what the annotation
                         `sandbox.controlplane.dev/ready-after` says (for instance 5s)

Read from kwok v0.8.0: a selector's key is a jq expression; of several stages that match, one is taken at random, so
the fast stages are kept off the pods that ours are for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml

SIMULATE = "sandbox.controlplane.dev/simulate"
READY_AFTER = "sandbox.controlplane.dev/ready-after"
BAD_IMAGE = "does-not-exist"

IMAGE_PULL_FAILURE = "image-pull-failure"
CRASH_LOOP = "crash-loop"
SLOW_START = "slow-start"
_NONE = "none"

_SLOW_START_MS = 20_000
_CRASH_AFTER_MS = 1_000
_BACK_OFF_MS = 5_000
_PULL_RETRY_MS = 1_000

Stage = dict[str, Any]

# The simulation a pod is under, or `none`: its annotation if that is one we know, else what its images ask for.
_SIMULATION = f"""
((.metadata.annotations // {{}})["{SIMULATE}"] // "") as $asked
| if ($asked == "{IMAGE_PULL_FAILURE}") or ($asked == "{CRASH_LOOP}") or ($asked == "{SLOW_START}") then $asked
  elif any((.spec.initContainers // [])[], .spec.containers[]; .image | contains("{BAD_IMAGE}"))
  then "{IMAGE_PULL_FAILURE}"
  else "{_NONE}" end
"""
_READY = '.status.conditions.[] | select( .type == "Ready" ) | .status'
_WAITING = "((.status.containerStatuses // []) + (.status.initContainerStatuses // [])) | .[].state.waiting.reason"
_FAST = ("pod-ready", "pod-complete")


def stages(upstream: Iterable[Stage]) -> str:
    """kwok's configuration as YAML: its own stages `upstream`, kept off the pods that ours are for, and ours."""
    return yaml.safe_dump_all([*map(_kept_off, upstream), *_simulations()], sort_keys=False)


def _kept_off(stage: Stage) -> Stage:
    if stage["metadata"]["name"] not in _FAST:
        return stage
    selector = stage["spec"]["selector"]
    conditions = [*selector["matchExpressions"], _is(_SIMULATION, _NONE)]
    return {**stage, "spec": {**stage["spec"], "selector": {**selector, "matchExpressions": conditions}}}


def _simulations() -> list[Stage]:
    return [
        _stage(
            "pod-image-pull-error",
            [_is(_SIMULATION, IMAGE_PULL_FAILURE), _phase("Pending"), _is_not(_WAITING, *_PULL_REASONS)],
            _pull_failure("ErrImagePull", "manifest for %s not found (simulated)") + _STARTED,
            event=("Warning", "Failed", "Failed to pull image: not found (simulated)"),
        ),
        _stage(
            "pod-image-pull-back-off",
            [_is(_SIMULATION, IMAGE_PULL_FAILURE), _phase("Pending"), _is(_WAITING, "ErrImagePull")],
            _pull_failure("ImagePullBackOff", "Back-off pulling image %s (simulated)"),
            event=("Warning", "BackOff", "Back-off pulling image (simulated)"),
            delay_ms=_PULL_RETRY_MS,
        ),
        _stage(
            "pod-crash-start",
            [_is(_SIMULATION, CRASH_LOOP), _phase("Pending")],
            _running(ready=False) + _STARTED + _ADDRESS,
        ),
        _stage(
            "pod-crash",
            [_is(_SIMULATION, CRASH_LOOP), _phase("Running"), _is_not(_WAITING, "CrashLoopBackOff")],
            _CRASHED,
            event=("Warning", "BackOff", "Back-off restarting failed container (simulated)"),
            delay_ms=_CRASH_AFTER_MS,
        ),
        _stage(
            "pod-crash-restart",
            [_is(_SIMULATION, CRASH_LOOP), _phase("Running"), _is(_WAITING, "CrashLoopBackOff")],
            _RESTARTED,
            delay_ms=_BACK_OFF_MS,
        ),
        _stage(
            "pod-slow-start",
            [_is(_SIMULATION, SLOW_START), _phase("Pending")],
            _running(ready=False) + _STARTED + _ADDRESS,
        ),
        _stage(
            "pod-slow-ready",
            [_is(_SIMULATION, SLOW_START), _phase("Running"), _is_not(_READY, "True")],
            _running(ready=True),
            delay_ms=_SLOW_START_MS,
            delay_from=f'.metadata.annotations["{READY_AFTER}"]',
        ),
    ]


def _stage(
    name: str,
    conditions: list[dict[str, object]],
    status: str,
    *,
    event: tuple[str, str, str] | None = None,
    delay_ms: int = 0,
    delay_from: str | None = None,
) -> Stage:
    following: dict[str, object] = {"statusTemplate": status}
    if event:
        following["event"] = dict(zip(("type", "reason", "message"), event, strict=True))
    delay: dict[str, object] = {"durationMilliseconds": delay_ms}
    if delay_from:
        delay["durationFrom"] = {"expressionFrom": delay_from}
    living: dict[str, object] = {"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"}
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": name},
        "spec": {
            "resourceRef": {"apiGroup": "v1", "kind": "Pod"},
            "selector": {"matchExpressions": [living, *conditions]},
            "delay": delay,
            "next": following,
        },
    }


def _is(key: str, *values: str) -> dict[str, object]:
    return {"key": key, "operator": "In", "values": list(values)}


def _is_not(key: str, *values: str) -> dict[str, object]:
    return {"key": key, "operator": "NotIn", "values": list(values)}


def _phase(phase: str) -> dict[str, object]:
    return _is(".status.phase", phase)


_PULL_REASONS = ("ErrImagePull", "ImagePullBackOff")

# Templates are Go's with sprig's functions; they give the status to merge, as YAML.

_CONDITIONS = """
{{ $now := Now }}
{{ $root := . }}
conditions:
- {type: PodScheduled, status: "True", lastTransitionTime: {{ .metadata.creationTimestamp | Quote }}}
- {type: Initialized, status: "INITIALIZED", lastTransitionTime: {{ $now | Quote }}}
- {type: Ready, status: "READY", lastTransitionTime: {{ $now | Quote }}REASON}
- {type: ContainersReady, status: "READY", lastTransitionTime: {{ $now | Quote }}REASON}
"""

_STARTED = """
startTime: {{ or .status.startTime $now | Quote }}
{{ with NodeIPsWith .spec.nodeName }}
hostIP: {{ index . 0 | Quote }}
hostIPs:
{{ range . }}
- ip: {{ . | Quote }}
{{ end }}
{{ end }}
"""

# Only once in the life of a pod: each evaluation takes another address, and podIPs are merged by address. So a pod
# whose image is bad has none yet; it gets its address from kwok's own stage when the image is corrected.
_ADDRESS = """
{{ $host := or .spec.hostNetwork false }}
{{ with PodIPsWith .spec.nodeName $host ( or .metadata.uid "" ) .metadata.name .metadata.namespace }}
podIP: {{ index . 0 | Quote }}
podIPs:
{{ range . }}
- ip: {{ . | Quote }}
{{ end }}
{{ end }}
"""

_INIT_DONE = """
{{ with .spec.initContainers }}
initContainerStatuses:
{{ range . }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ""
  restartCount: 0
  ready: true
  {{ if eq (or .restartPolicy "") "Always" }}
  started: true
  state: {running: {startedAt: {{ $now | Quote }}}}
  {{ else }}
  state: {terminated: {exitCode: 0, reason: Completed, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }}}}
  {{ end }}
{{ end }}
{{ end }}
"""


def _conditions(*, ready: bool, initialized: bool = True) -> str:
    reason = "" if ready else ", reason: ContainersNotReady"
    text = _CONDITIONS.replace("INITIALIZED", str(initialized)).replace("READY", str(ready))
    return text.replace("REASON", reason)


_BEFORE_CONTAINERS = "{{ if $root.spec.initContainers }}PodInitializing{{ else }}ContainerCreating{{ end }}"


def _running(*, ready: bool) -> str:
    """Every container runs; `ready` is what their readiness probes say."""
    return (
        _conditions(ready=ready)
        + f"""
phase: Running
containerStatuses:
{{{{ range .spec.containers }}}}
- name: {{{{ .name | Quote }}}}
  image: {{{{ .image | Quote }}}}
  imageID: ""
  restartCount: 0
  started: true
  ready: {str(ready).lower()}
  state: {{running: {{startedAt: {{{{ or $root.status.startTime $now | Quote }}}}}}}}
{{{{ end }}}}
"""
        + _INIT_DONE
    )


def _pull_failure(reason: str, message: str) -> str:
    """Containers whose image is bad wait with `reason`; all of them when no image gives itself away."""
    before, after = message.split("%s")
    waiting = f"""
- name: {{{{ .name | Quote }}}}
  image: {{{{ .image | Quote }}}}
  imageID: ""
  restartCount: 0
  ready: false
  started: false
  {{{{ if or (contains "{BAD_IMAGE}" .image) (not $named) }}}}
  state: {{waiting: {{reason: {reason}, message: {{{{ printf "{before}%s{after}" .image | Quote }}}}}}}}
  {{{{ else }}}}
  state: {{waiting: {{reason: OTHERWISE}}}}
  {{{{ end }}}}
"""
    return (
        _conditions(ready=False, initialized=False)
        + f"""
phase: Pending
{{{{ $named := false }}}}
{{{{ range concat (or .spec.initContainers list) .spec.containers }}}}
{{{{ if contains "{BAD_IMAGE}" .image }}}}{{{{ $named = true }}}}{{{{ end }}}}
{{{{ end }}}}
{{{{ with .spec.initContainers }}}}
initContainerStatuses:
{{{{ range . }}}}{waiting.replace("OTHERWISE", "PodInitializing")}{{{{ end }}}}
{{{{ end }}}}
containerStatuses:
{{{{ range .spec.containers }}}}{waiting.replace("OTHERWISE", _BEFORE_CONTAINERS)}{{{{ end }}}}
"""
    )


_CRASHED = (
    _conditions(ready=False)
    + """
containerStatuses:
{{ range $index, $container := .spec.containers }}
{{ $before := index $root.status.containerStatuses $index }}
- name: {{ $container.name | Quote }}
  image: {{ $container.image | Quote }}
  imageID: ""
  restartCount: {{ add1 (int64 (or $before.restartCount 0)) }}
  ready: false
  started: false
  lastState:
    terminated:
      exitCode: 1
      reason: Error
      startedAt: {{ $now | Quote }}
      finishedAt: {{ $now | Quote }}
  state:
    waiting:
      reason: CrashLoopBackOff
      message: back-off restarting failed container (simulated)
{{ end }}
"""
)

_RESTARTED = (
    _conditions(ready=False)
    + """
containerStatuses:
{{ range $index, $container := .spec.containers }}
{{ $before := index $root.status.containerStatuses $index }}
- name: {{ $container.name | Quote }}
  image: {{ $container.image | Quote }}
  imageID: ""
  restartCount: {{ int64 (or $before.restartCount 0) }}
  ready: false
  started: true
  lastState:
  {{ YAML $before.lastState 2 }}
  state: {running: {startedAt: {{ $now | Quote }}}}
{{ end }}
"""
)
