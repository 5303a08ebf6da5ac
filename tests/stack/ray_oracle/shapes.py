"""Groups of a Ray cluster to ask the real components about: every way in which their two derivations can differ."""

from __future__ import annotations

from typing import Any

_GPU = "nvidia.com/gpu"


def group(
    limits: dict[str, Any] | None = None,
    requests: dict[str, Any] | None = None,
    *,
    params: dict[str, str] | None = None,
    resources: dict[str, str] | None = None,
    selector: dict[str, str] | None = None,
    head: bool = False,
    sidecar_limits: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A group as its manifest has it; maps are in the order of their keys, as an API server gives them."""
    amounts = {
        name: dict(sorted(part.items())) for name, part in (("limits", limits), ("requests", requests)) if part
    }
    ray: dict[str, Any] = {"name": "ray", "image": "rayproject/ray:2.60.0", "resources": amounts}
    side: dict[str, Any] = {"name": "side", "image": "x", "resources": {"limits": sidecar_limits or {}}}
    spec: dict[str, Any] = {"containers": [ray, side] if sidecar_limits else [ray]}
    if selector:
        spec["nodeSelector"] = dict(sorted(selector.items()))
    made: dict[str, Any] = {"rayStartParams": dict(sorted((params or {}).items())), "template": {"spec": spec}}
    if resources is not None:
        made["resources"] = dict(sorted(resources.items()))
    if not head:
        made |= {"groupName": "workers", "replicas": 1, "minReplicas": 0, "maxReplicas": 3, "numOfHosts": 1}
    return {"head": head, "group": made}


def shapes() -> dict[str, dict[str, Any]]:
    """The groups by what is special about them."""
    whole = {"cpu": "8", "memory": "32Gi", _GPU: "4"}
    return {
        "limits of every kind": group(whole),
        "limits and other requests": group(whole, {"cpu": "2", "memory": "8Gi", _GPU: "4"}),
        "requests alone": group(None, {"cpu": "3", "memory": "8Gi", _GPU: "2"}),
        "nothing at all": group(),
        "a head with limits": group(whole, head=True),
        "a head without CPU for work": group(whole, params={"num-cpus": "0"}, head=True),
        "a fraction of a CPU": group({"cpu": "500m", "memory": "1Gi"}),
        "one and a half CPUs": group({"cpu": "1500m"}),
        "a decimal point": group({"cpu": "2.1"}),
        "a CPU as a number": group({"cpu": 4, "memory": 1000000}),
        "a CPU as a float": group({"cpu": 0.5}),
        "a CPU limit of zero and a request": group({"cpu": "0"}, {"cpu": "2"}),
        "a CPU limit of zero": group({"cpu": "0"}),
        "memory in decimal units": group({"cpu": "1", "memory": "10G"}),
        "memory with a fraction": group({"cpu": "1", "memory": "1.5Gi"}),
        "memory in milli-bytes": group({"cpu": "1", "memory": "1500m"}),
        "memory with an exponent": group({"cpu": "1", "memory": "1e9"}),
        "memory of zero": group({"cpu": "1", "memory": "0"}),
        "a memory request alone": group({"cpu": "1"}, {"memory": "4Gi"}),
        "a GPU request alone": group({"cpu": "1"}, {_GPU: "1"}),
        "a MIG slice": group({"cpu": "1", "nvidia.com/mig-1g.10gb": "2"}),
        "a MIG slice with an extension": group({"cpu": "1", "nvidia.com/mig-1g.10gb.me": "2"}),
        "MIG slices of two sizes": group({"cpu": "1", "nvidia.com/mig-3g.40gb": "1", "nvidia.com/mig-1g.10gb": "2"}),
        "a MIG slice and a whole GPU": group({"cpu": "1", "nvidia.com/mig-1g.10gb": "2", _GPU: "1"}),
        "time slices under their own name": group({"cpu": "1", "nvidia.com/gpu.shared": "1"}),
        "an AMD GPU": group({"cpu": "1", "amd.com/gpu": "8"}),
        "GPUs of two makers": group({"cpu": "1", "amd.com/gpu": "2", _GPU: "3"}),
        "none of one maker's GPUs": group({"cpu": "1", "amd.com/gpu": "0", _GPU: "3"}),
        "an Intel GPU": group({"cpu": "1", "gpu.intel.com/i915": "1"}),
        "any name that ends in gpu": group({"cpu": "1", "example.com/vgpu": "1"}),
        "no GPUs": group({"cpu": "1", _GPU: "0"}),
        "GPUs of a sidecar": group({"cpu": "1"}, sidecar_limits={_GPU: "4", "cpu": "9"}),
        "neuron cores": group({"cpu": "1", "aws.amazon.com/neuroncore": "2"}),
        "a Neuron device": group({"cpu": "1", "aws.amazon.com/neuron": "1"}),
        "neuron cores and TPUs": group({"cpu": "1", "aws.amazon.com/neuroncore": "2", "google.com/tpu": "4"}),
        "TPUs": group({"cpu": "1", "google.com/tpu": "4"}),
        "TPUs as a request": group({"cpu": "1"}, {"google.com/tpu": "4"}),
        "a slice of TPUs": group(
            {"cpu": "1", "google.com/tpu": "4"},
            selector={
                "cloud.google.com/gke-tpu-accelerator": "tpu-v4-podslice",
                "cloud.google.com/gke-tpu-topology": "2x2x2",
            },
        ),
        "a slice of TPUs with one core": group(
            {"cpu": "1", "google.com/tpu": "4"},
            selector={
                "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                "cloud.google.com/gke-tpu-topology": "4x4",
            },
        ),
        "an unknown slice of TPUs": group(
            {"cpu": "1", "google.com/tpu": "4"},
            selector={
                "cloud.google.com/gke-tpu-accelerator": "tpu-v99",
                "cloud.google.com/gke-tpu-topology": "4x4",
            },
        ),
        "TPUs and a resource of that name": group(
            {"cpu": "1", "google.com/tpu": "4"}, params={"resources": "'{\"TPU\": 2}'"}
        ),
        **_with_params(whole),
        **_with_resources(whole),
    }


def _with_params(whole: dict[str, Any]) -> dict[str, dict[str, Any]]:
    texts = {
        "in single quotes": '\'{"a": 1, "b": 2}\'',
        "in double quotes with backslashes": '"{\\"a\\": 1, \\"b\\": 2}"',
        "in both, as the documentation has it": '\'"{\\"a\\": 1}"\'',
        "without quotes": '{"a": 1}',
        "with a fraction": "'{\"a\": 0.5}'",
        "that are none": "'{a: 1}'",
        "that are a list": "'[1]'",
        "with a text": '\'{"a": "1"}\'',
        "with an accelerator's mark": "'{\"accelerator_type:H100\": 1}'",
        "empty": "'{}'",
        "with neuron cores": "'{\"neuron_cores\": 1}'",
    }
    made = {f"custom resources {what}": group(whole, params={"resources": text}) for what, text in texts.items()}
    accelerated = {**whole, "aws.amazon.com/neuroncore": "2"}
    return {
        **made,
        "all parameters": group(whole, params={"num-cpus": "2", "num-gpus": "1", "memory": "1000"}),
        "parameters without limits": group(params={"num-cpus": "16", "num-gpus": "8"}),
        "no GPUs by parameter": group(whole, params={"num-gpus": "0"}),
        "a fraction of a GPU by parameter": group(whole, params={"num-gpus": "0.5"}),
        "a parameter in quotes": group(whole, params={"num-cpus": "'6'"}),
        "a parameter with blanks": group(whole, params={"num-cpus": " 6 "}),
        "a parameter with a unit": group(whole, params={"memory": "10Gi"}),
        "a parameter that a shell sets": group(whole, params={"num-cpus": "$CPUS"}),
        "neuron cores beside custom resources": group(accelerated, params={"resources": "'{\"a\": 1}'"}),
        "neuron cores beside neuron cores": group(accelerated, params={"resources": "'{\"neuron_cores\": 1}'"}),
    }


def _with_resources(whole: dict[str, Any]) -> dict[str, dict[str, Any]]:
    accelerated = {**whole, "google.com/tpu": "4"}
    texts: dict[str, dict[str, str]] = {
        "as Ray writes them": {"CPU": "3", "GPU": "2", "memory": "1Gi"},
        "in lower case": {"cpu": "3", "gpu": "2", "memory": "1Gi"},
        "in odd case": {"Cpu": "3", "Gpu": "2", "MEMORY": "1Gi"},
        "as Kubernetes writes them": {_GPU: "2"},
        "of MIG": {"nvidia.com/mig-1g.10gb": "2"},
        "with fractions": {"CPU": "1500m", "GPU": "500m", "a": "500m"},
        "of your own": {"a": "2", "accelerator_type:H100": "1"},
        "of your own, large": {"a": "2Ki"},
        "that are no quantities": {"a": "many", "b": "1"},
        "with TPUs": {"TPU": "8"},
        "empty": {},
    }
    made = {f"group resources {what}": group(whole, resources=found) for what, found in texts.items()}
    return {
        **made,
        "group resources and parameters": group(
            whole,
            params={"num-cpus": "5", "num-gpus": "6", "resources": "'{\"b\": 1}'"},
            resources={"CPU": "3", "a": "1"},
        ),
        "group resources without custom ones": group(
            whole, params={"resources": "'{\"b\": 1}'"}, resources={"CPU": "3"}
        ),
        "group resources for a head": group(whole, resources={"CPU": "0"}, head=True),
        "group TPUs and limits": group(accelerated, resources={"TPU": "8"}),
        "group resources beside TPUs": group(accelerated, resources={"a": "1"}),
    }
