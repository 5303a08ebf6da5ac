from __future__ import annotations

from pathlib import Path

import pytest

from controlplane.sandbox.binaries import ETCD, KUBERAY, KUBERNETES, MODULES, binaries_in, processor
from controlplane.sandbox.commands import PROGRAMS
from controlplane.sandbox.errors import UnsupportedMachine


@pytest.mark.parametrize(("machine", "system"), [("x86_64", "Darwin"), ("riscv64", "Linux"), ("AMD64", "Windows")])
def test_other_machine_is_named_and_pointed_to_an_existing_cluster(machine: str, system: str) -> None:
    with pytest.raises(UnsupportedMachine, match=f"this is {system} on {machine}") as caught:
        processor(machine, system)
    assert "--context" in caught.value.remedy


def test_processor_is_in_go_words() -> None:
    assert processor("x86_64", "Linux") == "amd64"
    assert processor("aarch64", "Linux") == "arm64"


def test_cache_folder_names_module_version_and_processor() -> None:
    assert ETCD.key == f"etcd-v3.6.16-{processor()}"


def test_every_program_of_the_sandbox_is_built_by_one_module() -> None:
    built = [program for module in MODULES for program in module.programs]
    assert sorted(built) == sorted({*PROGRAMS, "kubectl"})


def test_programs_built_together_are_named_after_their_packages() -> None:
    for module in MODULES:
        if len(module.programs) > 1:
            assert all(package.endswith(f"/{name}") for name, package in module.programs.items())


def test_stamped_version_is_the_pinned_one() -> None:
    assert f"k8s.io/component-base/version.gitVersion={KUBERNETES.version}" in KUBERNETES.stamps
    assert KUBERNETES.staging == KUBERNETES.version.replace("v1.", "v0.")


def test_missing_modules_are_those_without_a_folder(tmp_path: Path) -> None:
    binaries = binaries_in(tmp_path)
    assert binaries.missing() == MODULES
    binaries.folder(KUBERAY).mkdir(parents=True)
    assert KUBERAY not in binaries.missing()
    assert binaries.program("ray-operator") == binaries.folder(KUBERAY) / "ray-operator"
