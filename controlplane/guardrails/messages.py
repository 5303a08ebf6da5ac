"""What expressions may name: the types behind `workload`, `pods`, `container`, `engine`, `deployment` and `policy`.

A value that may not be known is a wrapper type, which is null in CEL where it is not set; anything done with null but
comparing it is an error, so that a rule cannot take an unknown value for 0. Sizes are bytes, times seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

PACKAGE: Final = "controlplane"

INT, FLOAT, BOOL, TEXT = "Int64Value", "DoubleValue", "BoolValue", "StringValue"
_STRUCT: Final = "Struct"
_PLAIN_TEXT: Final = "string"

Shape = Mapping[str, str]
"""Field -> type: a wrapper, Struct, string or another message, `[]` before what is repeated, `{}` a map of texts."""

SHAPES: Final[Mapping[str, Shape]] = {
    "Replicas": {"min": INT, "desired": INT, "max": INT},
    "Container": {
        "name": _PLAIN_TEXT,
        "image": TEXT,
        "registry": TEXT,
        "cpu_request": FLOAT,
        "cpu_limit": FLOAT,
        "memory_request_bytes": INT,
        "memory_limit_bytes": INT,
        "gpus": INT,
        "gpu_resources": "[]string",
        "environment": "[]string",
        "has_startup_probe": BOOL,
        "has_readiness_probe": BOOL,
        "has_liveness_probe": BOOL,
        "image_pull_policy": TEXT,
    },
    "Pods": {
        "name": _PLAIN_TEXT,
        "replicas": "Replicas",
        "hosts_per_unit": INT,
        "containers": "[]Container",
        "labels": "{}",
        "annotations": "{}",
        "node_selector": "{}",
        "priority_class": TEXT,
        "service_account": TEXT,
        "grace_seconds": INT,
        "host_network": BOOL,
        "claims": "[]string",
    },
    "Engine": {
        "role": _PLAIN_TEXT,
        "model": TEXT,
        "served_model_name": TEXT,
        "version": TEXT,
        "tensor_parallel": INT,
        "pipeline_parallel": INT,
        "data_parallel": INT,
        "gpus": INT,
        "arguments": _STRUCT,
    },
    "Deployment": {
        "name": TEXT,
        "application": _PLAIN_TEXT,
        "replicas": "Replicas",
        "max_ongoing_requests": INT,
        "target_ongoing_requests": FLOAT,
        "max_queued_requests": INT,
    },
    "Ray": {
        "version": TEXT,
        "autoscaling": BOOL,
        "autoscaler_version": TEXT,
        "auth_mode": TEXT,
        "upgrade": TEXT,
        "worker_groups": "[]string",
    },
    "Workload": {
        "api_version": _PLAIN_TEXT,
        "kind": _PLAIN_TEXT,
        "namespace": _PLAIN_TEXT,
        "name": _PLAIN_TEXT,
        "labels": "{}",
        "annotations": "{}",
        "pods": "[]Pods",
        "engines": "[]Engine",
        "deployments": "[]Deployment",
        "ray": "Ray",
    },
}


@cache
def message(name: str) -> Any:
    """The protobuf class of a shape."""
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(pool().FindMessageTypeByName(f"{PACKAGE}.{name}"))


@cache
def pool() -> Any:
    """The descriptors of all shapes."""
    from google.protobuf import descriptor_pb2, descriptor_pool, struct_pb2, wrappers_pb2

    made = descriptor_pool.DescriptorPool()
    for module in (wrappers_pb2, struct_pb2):
        made.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    file = descriptor_pb2.FileDescriptorProto(
        name="controlplane.proto",
        package=PACKAGE,
        syntax="proto3",
        dependency=["google/protobuf/wrappers.proto", "google/protobuf/struct.proto"],
    )
    for name, shape in SHAPES.items():
        described = file.message_type.add(name=name)
        for number, (field, kind) in enumerate(shape.items(), 1):
            _add(described, field, number, kind)
    made.Add(file)
    return made


def _add(described: Any, name: str, number: int, kind: str) -> None:
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Proto

    if kind == "{}":
        _add_map(described, name, number)
        return
    label = Proto.LABEL_REPEATED if kind.startswith("[]") else Proto.LABEL_OPTIONAL
    kind = kind.removeprefix("[]")
    if kind == _PLAIN_TEXT:
        described.field.add(name=name, number=number, label=label, type=Proto.TYPE_STRING)
    else:
        package = PACKAGE if kind in SHAPES else "google.protobuf"
        described.field.add(
            name=name, number=number, label=label, type=Proto.TYPE_MESSAGE, type_name=f".{package}.{kind}"
        )


def _add_map(described: Any, name: str, number: int) -> None:
    """A map of texts, as protobuf has them: a repeated message of entries."""
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Proto

    entry_name = "".join(part.capitalize() for part in name.split("_")) + "Entry"
    entry = described.nested_type.add(name=entry_name)
    entry.options.map_entry = True
    for place, part in enumerate(("key", "value"), 1):
        entry.field.add(name=part, number=place, label=Proto.LABEL_OPTIONAL, type=Proto.TYPE_STRING)
    described.field.add(
        name=name,
        number=number,
        label=Proto.LABEL_REPEATED,
        type=Proto.TYPE_MESSAGE,
        type_name=f".{PACKAGE}.{described.name}.{entry_name}",
    )
