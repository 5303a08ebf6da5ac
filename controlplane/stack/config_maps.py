"""The ConfigMaps of the same input: what containers take variables, scripts and configuration files from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from controlplane.frozen import frozen
from controlplane.stack.manifest_fields import Field


class ConfigMaps:
    """The texts of ConfigMaps by namespace, name and key."""

    def __init__(self, manifests: Iterable[Field] = ()) -> None:
        self._found: dict[str, list[tuple[str, Field]]] = {}
        for manifest in manifests:
            metadata = manifest["metadata"]
            name, namespace = metadata["name"].value, metadata["namespace"].value
            if isinstance(name, str):
                self._found.setdefault(name, []).append((namespace if isinstance(namespace, str) else "", manifest))

    def data(self, namespace: str, name: str) -> Mapping[str, Field] | None:
        """The texts of a ConfigMap by key; None where the input does not have exactly one that may be meant.

        An object without a namespace gets the one that it is applied with, which may be any.
        """
        found = self._found.get(name, [])
        meant = [manifest for given, manifest in found if given == namespace or "" in (given, namespace)]
        if len(meant) != 1:
            return None
        data = meant[0]["data"]
        return {key: data[key] for key in data.value} if isinstance(data.value, dict) else {}


@frozen
class NamespacedConfigMaps:
    """The ConfigMaps that a pod of one namespace can use."""

    all: ConfigMaps = field(default_factory=ConfigMaps)
    namespace: str = ""

    def data(self, name: str) -> Mapping[str, Field] | None:
        """The texts of a ConfigMap by key; None where it cannot be seen."""
        return self.all.data(self.namespace, name)
