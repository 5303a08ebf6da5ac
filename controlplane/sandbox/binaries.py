"""The programs of the sandbox, pinned: which Go module each is built from, and where it lies in the cache.

Versions were tried together: an API server, scheduler and controller manager of one Kubernetes, the etcd that this
Kubernetes is tested with, kwok (which simulates machines and pods) and the KubeRay operator.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from controlplane.sandbox.errors import UnsupportedMachine

GO_MINIMUM = (1, 26)
"""k8s.io/kubernetes v1.36 asks for Go 1.26; v1.37 asks for a newer one."""

_VERSION_PACKAGE = "k8s.io/component-base/version"
_PROCESSORS = {"x86_64": "amd64", "aarch64": "arm64"}


@dataclass(frozen=True, slots=True)
class Module:
    """A Go module and what is taken from it.

    `programs` maps a file name to its main package; `stamps` are `-X` settings of the linker; `data` maps a folder
    name in the cache to a glob inside the module, for files that are used as they are; `staging` is the version that
    stands for the `v0.0.0` of the modules that live inside this one; `minutes` is the build time on two cores.
    """

    name: str
    path: str
    version: str
    programs: Mapping[str, str]
    stamps: tuple[str, ...] = ()
    data: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    staging: str | None = None
    minutes: float = 1.0

    @property
    def key(self) -> str:
        """The folder in the cache: another version or processor is another folder."""
        return f"{self.name}-{self.version}-{processor()}"

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


ETCD = Module(
    name="etcd",
    path="go.etcd.io/etcd/server/v3",
    version="v3.6.16",
    programs=MappingProxyType({"etcd": "go.etcd.io/etcd/server/v3"}),
    minutes=1,
)
KUBERNETES = Module(
    name="kubernetes",
    path="k8s.io/kubernetes",
    version="v1.36.3",
    programs=MappingProxyType(
        {
            program: f"k8s.io/kubernetes/cmd/{program}"
            for program in ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
        }
    ),
    stamps=(
        f"{_VERSION_PACKAGE}.gitVersion=v1.36.3",
        f"{_VERSION_PACKAGE}.gitMajor=1",
        f"{_VERSION_PACKAGE}.gitMinor=36",
    ),
    staging="v0.36.3",
    minutes=6,
)
KWOK = Module(
    name="kwok",
    path="sigs.k8s.io/kwok",
    version="v0.8.0",
    programs=MappingProxyType({"kwok": "sigs.k8s.io/kwok/cmd/kwok"}),
    data=MappingProxyType(
        {
            "stages": (
                "kustomize/stage/node/fast/node-*.yaml",
                "kustomize/stage/node/heartbeat-with-lease/node-*.yaml",
                "kustomize/stage/pod/fast/pod-*.yaml",
            )
        }
    ),
    minutes=2,
)
KUBERAY = Module(
    name="kuberay",
    path="github.com/ray-project/kuberay/ray-operator",
    version="v1.6.2",
    programs=MappingProxyType({"ray-operator": "github.com/ray-project/kuberay/ray-operator"}),
    # Not RayCronJob: v1.6 leaves it to a feature gate that is off.
    data=MappingProxyType(
        {"crds": tuple(f"config/crd/bases/ray.io_ray{kind}.yaml" for kind in ("clusters", "jobs", "services"))}
    ),
    minutes=2,
)

MODULES = (ETCD, KUBERNETES, KWOK, KUBERAY)
"""In the order they are built."""


@dataclass(frozen=True, slots=True)
class Binaries:
    """Where the built programs and the files taken along lie."""

    root: Path

    def folder(self, module: Module) -> Path:
        return self.root / module.key

    def program(self, name: str) -> Path:
        """The path of one program by its file name, for instance `kube-apiserver`."""
        module = next(module for module in MODULES if name in module.programs)
        return self.folder(module) / name

    def data(self, module: Module, kind: str) -> tuple[Path, ...]:
        """The files of one kind taken from a module, sorted by name."""
        return tuple(sorted((self.folder(module) / kind).iterdir()))

    def missing(self) -> tuple[Module, ...]:
        """The modules that are not built yet, in the order to build them."""
        return tuple(module for module in MODULES if not self.folder(module).is_dir())


def binaries_in(cache: Path) -> Binaries:
    """The binaries of one cache folder, built or not."""
    return Binaries(root=cache / "programs")


def versions() -> Mapping[str, str]:
    """The pinned version of each module by its name."""
    return {module.name: module.version for module in MODULES}


def processor(machine: str | None = None, system: str | None = None) -> str:
    """This machine's processor in Go's words; raises `UnsupportedMachine`."""
    machine, system = machine or platform.machine(), system or platform.system()
    if system != "Linux" or machine not in _PROCESSORS:
        raise UnsupportedMachine(
            f"the sandbox runs on Linux (x86_64 or aarch64); this is {system} on {machine}",
            "Use an existing cluster with --context, or run in a Linux virtual machine.",
        )
    return _PROCESSORS[machine]
