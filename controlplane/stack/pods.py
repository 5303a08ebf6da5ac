"""Pods as declared: containers, resources, probes, volumes and where they may run.

Field names follow Kubernetes' own, in snake case. Times are seconds. Resource amounts are `Quantity`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import field

from controlplane.frozen import frozen
from controlplane.source import Quantity
from controlplane.stack.facts import ABSENT, Fact, Known, Origin


class CountOwner(enum.StrEnum):
    """Who writes a replica count. Anyone but `DECLARED` means that we must not."""

    DECLARED = "declared"
    HPA = "hpa"
    KEDA = "keda"
    RAY_AUTOSCALER = "ray-autoscaler"
    SERVE = "serve"


@frozen
class Count:
    """How many there are: replicas are never just an integer."""

    min: Fact[int]
    desired: Fact[int]
    max: Fact[int]
    owner: CountOwner = CountOwner.DECLARED


@frozen
class Toleration:
    """A taint that the pod bears. Empty `key` with operator Exists bears all."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None
    origin: Origin | None = field(default=None, compare=False)


@frozen
class NodeRequirement:
    """One term of a required node affinity: `key operator values`."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


@frozen
class TopologySpread:
    """One topologySpreadConstraint. `exact` is False where its selector says more than `match_labels`."""

    topology_key: str
    max_skew: int
    when_unsatisfiable: str
    match_labels: Mapping[str, str] = field(default_factory=dict)
    exact: bool = field(default=True, compare=False)
    origin: Origin | None = field(default=None, compare=False)


@frozen
class Constraints:
    """Where the scheduler may put a pod."""

    node_selector: Fact[Mapping[str, str]] = ABSENT
    node_requirements: Fact[tuple[NodeRequirement, ...]] = ABSENT
    tolerations: Fact[tuple[Toleration, ...]] = ABSENT
    spread: Fact[tuple[TopologySpread, ...]] = ABSENT
    priority_class: Fact[str] = ABSENT
    node_selector_origins: Mapping[str, Origin] = field(default_factory=dict, compare=False)


@frozen
class SecretKey:
    """An environment value taken from a Secret: a reference, never the value."""

    name: str
    key: str
    optional: bool = False


@frozen
class ConfigKey:
    """An environment value taken from a ConfigMap."""

    name: str
    key: str
    optional: bool = False


@frozen
class FieldPath:
    """An environment value taken from the pod itself, such as `status.podIP`."""

    path: str


@frozen
class EnvVar:
    """One environment variable of a container. A text is as written: Kubernetes expands `$(NAME)` in it.

    `origin` is the place of the name, where that is another than the value's.
    """

    name: str
    value: Fact[str | SecretKey | ConfigKey | FieldPath]
    origin: Origin | None = field(default=None, compare=False)


@frozen
class Port:
    """A container port. `number` is 0 where it is not known yet."""

    name: str
    number: int
    protocol: str = "TCP"
    origin: Origin | None = field(default=None, compare=False)


@frozen
class HttpGet:
    """A probe that asks over HTTP; `port` is a number or the name of a container port."""

    path: str
    port: int | str
    scheme: str = "HTTP"


@frozen
class TcpSocket:
    """A probe that only opens a connection."""

    port: int | str


@frozen
class ExecProbe:
    """A probe that runs a command in the container."""

    command: tuple[str, ...]


@frozen
class Probe:
    """A probe. Kubernetes' defaults are filled in on reading: delay 0, period 10, timeout 1, failures 3.

    `origin` says why this handler was chosen.
    """

    handler: HttpGet | TcpSocket | ExecProbe
    initial_delay_seconds: Fact[int]
    period_seconds: Fact[int]
    timeout_seconds: Fact[int]
    failure_threshold: Fact[int]
    origin: Origin | None = field(default=None, compare=False)
    port_origin: Origin | None = field(default=None, compare=False)
    """The place of the port that it asks at."""


@frozen
class EmptyDir:
    """Scratch space; `medium` "Memory" counts against the pod's memory limit."""

    medium: str = ""
    size_limit: Fact[Quantity] = ABSENT


@frozen
class Claim:
    """A PersistentVolumeClaim in the pod's namespace."""

    name: str
    read_only: bool = False


@frozen
class ImageVolume:
    """An OCI image mounted read-only (Kubernetes `image` volume source)."""

    reference: str
    pull_policy: str = ""


@frozen
class ConfigMapVolume:
    """A ConfigMap's keys as files; `items` are (key, path) where it takes only some of them."""

    name: str
    items: tuple[tuple[str, str], ...] = ()
    optional: bool = False


@frozen
class OtherVolume:
    """A volume of a kind that nothing here reasons about; `kind` is its key in the manifest."""

    kind: str


@frozen
class Volume:
    """A volume of a pod."""

    name: str
    source: Fact[EmptyDir | Claim | ImageVolume | ConfigMapVolume | OtherVolume]
    origin: Origin | None = field(default=None, compare=False)


@frozen
class Mount:
    """Where a container sees a volume."""

    volume: str
    path: str
    read_only: bool = False
    sub_path: str = ""
    origin: Origin | None = field(default=None, compare=False)


@frozen
class EnvFrom:
    """Variables brought in whole: `kind` is ConfigMap or Secret."""

    kind: str
    name: str
    prefix: str = ""
    origin: Origin | None = field(default=None, compare=False)


@frozen
class PodAffinity:
    """A required term of pod affinity, or of anti-affinity where `anti`.

    `exact` is False where the term says more than `match_labels`: expressions with several values, namespaces.
    """

    topology_key: str
    match_labels: Mapping[str, str] = field(default_factory=dict)
    anti: bool = False
    exact: bool = True
    origin: Origin | None = field(default=None, compare=False)


@frozen
class Container:
    """One container. Where an engine runs in it, the command line is in the `Engine`: `command`, `args` are empty."""

    name: str
    image: Fact[str]
    command: tuple[Fact[str], ...] = ()
    args: tuple[Fact[str], ...] = ()
    env: tuple[EnvVar, ...] = ()
    requests: Mapping[str, Fact[Quantity]] = field(default_factory=dict)
    limits: Mapping[str, Fact[Quantity]] = field(default_factory=dict)
    ports: tuple[Port, ...] = ()
    mounts: tuple[Mount, ...] = ()
    startup_probe: Probe | None = None
    readiness_probe: Probe | None = None
    liveness_probe: Probe | None = None
    pre_stop_seconds: Fact[int] = ABSENT
    image_pull_policy: Fact[str] = ABSENT
    env_from: tuple[EnvFrom, ...] = field(default=(), compare=False)
    claims: tuple[str, ...] = field(default=(), compare=False)
    """`resources.claims`: names of the pod's DRA claims that the container uses."""
    restart_policy: Fact[str] = field(default=ABSENT, compare=False)
    """`Always` on an init container makes it a sidecar."""
    privileged: Fact[bool] = field(default=ABSENT, compare=False)
    """`securityContext.privileged`: it sees every device of its node, asked for or not."""
    origin: Origin | None = field(default=None, compare=False)
    resources_origin: Origin | None = field(default=None, compare=False)


@frozen
class PodSet:
    """Pods made from one template.

    `hosts_per_unit` is the number of pods that make one replica (1 unless a replica spans hosts). `labels` and
    `annotations` are the pod template's. `image_pull_secrets` are names of Secrets in the pods' namespace.
    """

    name: str
    count: Count
    hosts_per_unit: Fact[int]
    containers: tuple[Container, ...]
    init_containers: tuple[Container, ...] = ()
    volumes: tuple[Volume, ...] = ()
    constraints: Constraints = field(default_factory=Constraints)
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    grace_seconds: Fact[int] = ABSENT
    service_links: Fact[bool] = ABSENT
    service_account: Fact[str] = ABSENT
    image_pull_secrets: tuple[str, ...] = ()
    annotation_origins: Mapping[str, Origin] = field(default_factory=dict, compare=False)
    label_origins: Mapping[str, Origin] = field(default_factory=dict, compare=False)
    restart_policy: Fact[str] = field(default=ABSENT, compare=False)
    scheduler_name: Fact[str] = field(default=ABSENT, compare=False)
    host_network: Fact[bool] = field(default=ABSENT, compare=False)
    host_ipc: Fact[bool] = field(default=ABSENT, compare=False)
    runtime_class: Fact[str] = field(default=ABSENT, compare=False)
    pod_affinity: tuple[PodAffinity, ...] = field(default=(), compare=False)
    overhead: Mapping[str, Fact[Quantity]] = field(default_factory=dict, compare=False)
    resource_claims: tuple[str, ...] = field(default=(), compare=False)
    """Names of the pod's DRA claims: its GPUs may come from there, unseen by `requests`."""
    origin: Origin | None = field(default=None, compare=False)
    """The place of the pod template."""

    def container(self, name: str) -> Container | None:
        """The container of that name, init containers included, or None."""
        return next((c for c in (*self.containers, *self.init_containers) if c.name == name), None)

    def claims(self) -> tuple[str, ...]:
        """The names of the PersistentVolumeClaims that its pods mount."""
        known = (v.source.value for v in self.volumes if isinstance(v.source, Known))
        return tuple(source.name for source in known if isinstance(source, Claim))
