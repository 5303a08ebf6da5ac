"""Which cluster a verb talks to, and how a worker will reach the same one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.frozen import frozen

if TYPE_CHECKING:
    from controlplane.adapters.kubernetes import Cluster


@frozen
class Choice:
    """What the user said: a sandbox, or a kubeconfig and a context."""

    sandbox: str | None = None
    kubeconfig: str | None = None
    context: str | None = None

    def words(self) -> tuple[str, ...]:
        """The same choice as options of a command."""
        given = (("--sandbox", self.sandbox), ("--kubeconfig", self.kubeconfig), ("--context", self.context))
        return tuple(word for flag, value in given if value is not None for word in (flag, value))


@frozen
class Target:
    """A connected cluster. `kubeconfig` is empty when the library's default places were used."""

    cluster: Cluster
    context: str
    kubeconfig: str
    simulated: bool


def connect(choice: Choice, fleet_context: str | None = None) -> Target:
    """Connect to the sandbox, to `--context`, to the Fleet's context, else to the kubeconfig's current one.

    Raises `VerbEnd` on options that exclude each other, `SandboxError` and `AdapterError` as they come.
    """
    if choice.sandbox is not None:
        return _sandbox(choice)
    from controlplane.adapters.kubernetes import Cluster

    path = Path(choice.kubeconfig) if choice.kubeconfig else None
    cluster = Cluster.connect(kubeconfig=path, context=choice.context or fleet_context)
    return Target(cluster, cluster.context, str(path.resolve()) if path else "", simulated=False)


def _sandbox(choice: Choice) -> Target:
    if choice.kubeconfig or choice.context:
        raise VerbEnd(Exit.USAGE, "--sandbox says which cluster; --context and --kubeconfig say it too", "Give one.")
    from controlplane.adapters.kubernetes import Cluster
    from controlplane.sandbox.lifecycle import find

    found = find(choice.sandbox or "default")
    cluster = Cluster.connect(kubeconfig=found.kubeconfig, context=found.context)
    return Target(cluster, found.context, str(found.kubeconfig), simulated=True)
