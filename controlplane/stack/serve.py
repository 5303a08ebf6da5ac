"""Ray Serve as declared: applications, their deployments, and the placement group each replica asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from controlplane.frozen import frozen
from controlplane.stack.facts import ABSENT, Fact, Origin
from controlplane.stack.pods import Count, EnvVar
from controlplane.stack.ray import RayResources


@frozen
class Bundle:
    """One bundle of a placement group: it must fit on one Ray node. Amounts by Ray's names (`CPU`, `GPU`, ...)."""

    resources: Mapping[str, Fact[float]]
    origin: Origin | None = field(default=None, compare=False)


@frozen
class PlacementGroup:
    """The placement group of one replica, in the order Ray sees the bundles.

    For an engine of Serve LLM without `placement_group_config` the bundles are derived: tensor x pipeline bundles of
    one GPU (Ray 2.60, `llm/_internal/serve/engines/vllm/vllm_models.py`). `written` says whether somebody wrote them.
    """

    bundles: Fact[tuple[Bundle, ...]]
    strategy: Fact[str] = ABSENT
    written: bool = True
    origin: Origin | None = field(default=None, compare=False)


@frozen
class ServeDeployment:
    """One Serve deployment. `replicas.owner` is SERVE where an autoscaling config sets the number.

    Limits are as written: an absent `max_ongoing_requests` is Serve's default, which differs between plain Serve (5)
    and Serve LLM (1e9). `engine` is the role of the workload's engine that every replica runs, empty where it runs
    none that can be seen. `actor` is `ray_actor_options`.
    """

    name: Fact[str]
    application: str
    replicas: Count
    initial_replicas: Fact[int] = ABSENT
    max_ongoing_requests: Fact[int] = ABSENT
    target_ongoing_requests: Fact[float] = ABSENT
    max_queued_requests: Fact[int] = ABSENT
    max_replicas_per_node: Fact[int] = ABSENT
    graceful_shutdown_timeout_s: Fact[float] = ABSENT
    health_check_period_s: Fact[float] = ABSENT
    health_check_timeout_s: Fact[float] = ABSENT
    autoscaled: bool = False
    actor: RayResources = field(default_factory=RayResources)
    placement_group: PlacementGroup | None = None
    accelerator_type: Fact[str] = ABSENT
    engine: str = ""
    is_llm: bool = False
    options: Mapping[str, Origin] = field(default_factory=dict, compare=False)
    """The place of every key that is written for this deployment, by its dotted path below the deployment."""
    num_replicas: Fact[int] = field(default=ABSENT, compare=False)
    """`num_replicas` where a number is written beside an autoscaling config, which Serve refuses."""
    origin: Origin | None = field(default=None, compare=False)


@frozen
class ServeApplication:
    """One Serve application."""

    name: str
    import_path: Fact[str] = ABSENT
    route_prefix: Fact[str] = ABSENT
    deployments: tuple[ServeDeployment, ...] = ()
    has_runtime_env: bool = field(default=False, compare=False)
    """Whether it has a `runtime_env` of its own, so that the pod's image alone does not tell what it has."""
    variables: tuple[EnvVar, ...] = field(default=(), compare=False)
    """`env_vars` of its `runtime_env`, as written."""
    origin: Origin | None = field(default=None, compare=False)


@frozen
class Serve:
    """A Serve configuration (`serveConfigV2`). `complete` is False where part of it could not be read."""

    applications: tuple[ServeApplication, ...] = ()
    proxy_location: Fact[str] = ABSENT
    http_port: Fact[int] = ABSENT
    complete: bool = True
    has_own_service: bool = field(default=False, compare=False)
    """Whether the RayService writes the Service that requests come through (`serveService`) itself."""
    origin: Origin | None = field(default=None, compare=False)

    @property
    def deployments(self) -> tuple[ServeDeployment, ...]:
        """The deployments of all applications, in their order."""
        return tuple(d for application in self.applications for d in application.deployments)
