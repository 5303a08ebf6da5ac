"""The command line of each program of the sandbox, as a function of where it lives and which ports it has.

Flags were tried with the versions pinned in `binaries`. Everything listens on 127.0.0.1 only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from controlplane.sandbox.binaries import Binaries
from controlplane.sandbox.processes import MARK

ETCD = "etcd"
API_SERVER = "kube-apiserver"
CONTROLLER_MANAGER = "kube-controller-manager"
SCHEDULER = "kube-scheduler"
KWOK = "kwok"
OPERATOR = "ray-operator"

PROGRAMS = (ETCD, API_SERVER, CONTROLLER_MANAGER, SCHEDULER, KWOK, OPERATOR)
"""In the order they start."""

STOP_ORDER = ((OPERATOR, KWOK, SCHEDULER, CONTROLLER_MANAGER), (API_SERVER,), (ETCD,))
"""Groups that are stopped together. The API server goes before etcd: without it, it lingers."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Loopback ports: etcd's for clients and peers, the API server's, and the health ports of kwok and KubeRay."""

    etcd: int
    etcd_peer: int
    api: int
    kwok: int
    operator: int

    def all(self) -> tuple[int, ...]:
        return tuple(asdict(self).values())


@dataclass(frozen=True, slots=True)
class Place:
    """One sandbox on this machine: its folder, its ports and the programs it runs."""

    folder: Path
    ports: Ports
    binaries: Binaries

    @property
    def server(self) -> str:
        return f"https://127.0.0.1:{self.ports.api}"

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    @property
    def certificates(self) -> Path:
        return self.folder / "certificates"

    @property
    def stages(self) -> Path:
        return self.folder / "kwok-stages.yaml"

    @property
    def service_account_key(self) -> Path:
        return self.folder / "service-account.key"

    @property
    def tokens(self) -> Path:
        return self.folder / "tokens.csv"

    def client_kubeconfig(self, program: str) -> Path:
        """The kubeconfig with which one of the programs talks to the API server."""
        return self.folder / f"{program}.kubeconfig"

    def log(self, program: str) -> Path:
        return self.folder / "logs" / f"{program}.log"


def command(program: str, place: Place) -> list[str]:
    """The whole command line of one program."""
    return [str(place.binaries.program(program)), *_FLAGS[program](place)]


# Two thirds of a start are the API server digesting KubeRay's definitions, and a third of that was collecting its
# garbage (v1.36.3, 14.6 s of processor time with Go's defaults, 11 s so).
_COLLECT_LATE = {"GOGC": "400", "GOMEMLIMIT": "1GiB"}


def environment(program: str, place: Place) -> Mapping[str, str]:
    """What a program sees: nothing of the user's (no proxy, no KUBECONFIG, no home), and the mark of its sandbox."""
    return {
        **(_COLLECT_LATE if program == API_SERVER else {}),
        MARK: str(place.folder),
        "HOME": str(place.folder / "home"),
        "TMPDIR": str(place.folder / "tmp"),
        "PATH": "/usr/bin:/bin",
        "KUBECONFIG": str(place.client_kubeconfig(program)),
    }


def _etcd(place: Place) -> list[str]:
    client, peer = (f"http://127.0.0.1:{port}" for port in (place.ports.etcd, place.ports.etcd_peer))
    return [
        "--name=sandbox",
        f"--data-dir={place.folder / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=sandbox={peer}",
        # A sandbox may lose its data with the machine's power; in exchange every write is faster.
        "--unsafe-no-fsync",
        "--auto-compaction-retention=1h",
        "--log-level=warn",
    ]


def _api_server(place: Place) -> list[str]:
    return [
        f"--etcd-servers=http://127.0.0.1:{place.ports.etcd}",
        f"--cert-dir={place.certificates}",
        f"--secure-port={place.ports.api}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        "--endpoint-reconciler-type=none",
        "--authorization-mode=RBAC",
        f"--token-auth-file={place.tokens}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={place.service_account_key}",
        f"--service-account-signing-key-file={place.service_account_key}",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--allow-privileged=true",
        "--profiling=false",
    ]


def _controller_manager(place: Place) -> list[str]:
    return [
        *_kubernetes_client(CONTROLLER_MANAGER, place),
        f"--service-account-private-key-file={place.service_account_key}",
        "--use-service-account-credentials=true",
        # Its default lies under /usr, and it creates the folder.
        f"--flex-volume-plugin-dir={place.folder / 'flexvolume'}",
    ]


def _scheduler(place: Place) -> list[str]:
    return _kubernetes_client(SCHEDULER, place)


def _kubernetes_client(program: str, place: Place) -> list[str]:
    kubeconfig = place.client_kubeconfig(program)
    return [
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        # No server of their own: nobody reads their metrics here, and it would need a port each.
        "--secure-port=0",
        "--leader-elect=false",
    ]


def _kwok(place: Place) -> list[str]:
    return [
        f"--kubeconfig={place.client_kubeconfig(KWOK)}",
        f"--config={place.stages}",
        "--manage-all-nodes=false",
        "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
        "--node-lease-duration-seconds=40",
        # Addresses of simulated pods; by default there are 254.
        "--cidr=10.128.0.1/16",
        f"--server-address=127.0.0.1:{place.ports.kwok}",
    ]


def _operator(place: Place) -> list[str]:
    return [
        "--enable-leader-election=false",
        "--metrics-addr=0",
        f"--health-probe-bind-address=127.0.0.1:{place.ports.operator}",
        # Ray's dashboard is reached through the API server: there is no cluster DNS here.
        "--use-kubernetes-proxy",
    ]


_FLAGS: Mapping[str, Callable[[Place], list[str]]] = {
    ETCD: _etcd,
    API_SERVER: _api_server,
    CONTROLLER_MANAGER: _controller_manager,
    SCHEDULER: _scheduler,
    KWOK: _kwok,
    OPERATOR: _operator,
}
