"""GPUs by every name that a manifest may call them."""

from __future__ import annotations

import pytest

from controlplane.stack.gpu_catalogue import Gpu, gpu, gpu_of_label, gpus, instance, mig_slice
from controlplane.stack.schema_files import read_schema

MIB = 2**20


def known(name: str) -> Gpu:
    found = gpu(name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "product", "mib", "capability"),
    [
        ("NVIDIA-H100-80GB-HBM3", "H100-80GB", 81559, (9, 0)),
        ("nvidia-h100-80gb", "H100-80GB", 81559, (9, 0)),
        ("NVIDIA-A100-SXM4-80GB", "A100-80GB", 81920, (8, 0)),
        ("nvidia-tesla-a100", "A100-40GB", 40960, (8, 0)),
        ("A100-40G", "A100-40GB", 40960, (8, 0)),
        ("Tesla-T4", "T4", 15360, (7, 5)),
        ("nvidia-tesla-t4", "T4", 15360, (7, 5)),
        ("NVIDIA-L4", "L4", 23034, (8, 9)),
        ("L40S", "L40S-48GB", 46068, (8, 9)),
        ("NVIDIA-H200", "H200-141GB", 143771, (9, 0)),
        ("NVIDIA-B200", "B200-180GB", 183359, (10, 0)),
        ("AMD-Instinct-MI300X-OAM", "MI300X-192GB", 196592, None),
    ],
)
def test_names_of_one_product_lead_to_it(
    name: str, product: str, mib: int, capability: tuple[int, int] | None
) -> None:
    found = known(name)
    assert (found.name, found.memory_bytes, found.compute_capability) == (product, mib * MIB, capability)


def test_name_of_several_products_has_only_what_they_share() -> None:
    found = known("A100")
    assert found.memory_bytes is None
    assert found.memory_range == (40960 * MIB, 81920 * MIB)
    assert found.compute_capability == (8, 0)
    assert found.mig_profiles is None


@pytest.mark.parametrize(
    ("name", "bf16", "fp8", "fp4"),
    [
        ("V100", False, False, False),
        ("Tesla-T4", False, False, False),
        ("A100", True, False, False),
        ("A10G", True, False, False),
        ("L4", True, True, False),
        ("H100", True, True, False),
        ("B200", True, True, True),
        ("MI300X", True, True, False),
    ],
)
def test_number_formats_follow_from_the_generation(name: str, bf16: bool, fp8: bool, fp4: bool) -> None:
    found = known(name)
    assert (found.bf16, found.fp8, found.fp4) == (bf16, fp8, fp4)


def test_shared_and_sliced_products_are_the_product_itself() -> None:
    assert known("Tesla-T4-SHARED").name == "T4"
    assert known("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb").name == "A100-80GB"
    assert mig_slice("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb") == "1g.10gb"
    assert mig_slice("NVIDIA-A100-SXM4-80GB") is None


def test_mig_profiles_tell_memory_and_number() -> None:
    profile = known("NVIDIA-H100-80GB-HBM3").mig_profile("3g.40gb")
    assert profile is not None
    assert (profile.memory_gb, profile.most) == (40, 2)
    assert known("NVIDIA-H100-80GB-HBM3").mig_profile("1g.5gb") is None
    assert known("NVIDIA-L4").mig_profiles == ()


def test_slices_of_a_gpu_never_have_more_memory_than_it() -> None:
    for found in gpus():
        for profile in found.mig_profiles or ():
            assert found.memory_range is not None
            assert profile.memory_gb * profile.most * 10**9 <= found.memory_range[1] * 1.02, (found.name, profile)


@pytest.mark.parametrize(
    ("machine", "product", "count"),
    [
        ("g6.12xlarge", "L4", 4),
        ("g5.xlarge", "A10G", 1),
        ("p5.48xlarge", "H100-80GB", 8),
        ("a3-highgpu-8g", "H100-80GB", 8),
        ("g2-standard-24", "L4", 2),
        ("Standard_NC24ads_A100_v4", "A100-80GB", 1),
        ("Standard_ND96isr_MI300X_v5", "MI300X-192GB", 8),
    ],
)
def test_machine_types_have_gpus(machine: str, product: str, count: int) -> None:
    found = instance(machine)
    assert found is not None
    assert (found.gpu.name, found.count) == (product, count)


def test_labels_are_read_by_their_keys() -> None:
    named = gpu_of_label("cloud.google.com/gke-accelerator", "nvidia-l4")
    assert named is not None
    assert named.name == "L4"
    machine = gpu_of_label("node.kubernetes.io/instance-type", "g6.xlarge")
    assert machine is named
    assert gpu_of_label("team", "L4") is None
    assert gpu_of_label("node.kubernetes.io/instance-type", "m5.large") is None
    assert gpu_of_label("nvidia.com/gpu.product", "Something-New") is None


def test_no_two_entries_share_a_name_and_every_machine_type_has_a_known_gpu() -> None:
    content = read_schema("catalogue", "gpus.json")
    spelled = [{name.casefold() for name in (entry["name"], *entry["names"])} for entry in content["gpus"]]
    names = [name for spellings in spelled for name in spellings]
    assert len(names) == len(set(names))
    assert all(instance(machine) for machine in content["instances"])
