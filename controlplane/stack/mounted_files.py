"""Files that a container sees from ConfigMaps of the same input."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import field

from controlplane.frozen import frozen
from controlplane.stack.config_maps import NamespacedConfigMaps
from controlplane.stack.facts import Known
from controlplane.stack.manifest_fields import Field
from controlplane.stack.pods import ConfigMapVolume, Mount, Volume


@frozen
class MountedFiles:
    """What `find` knows: the container's mounts, its pod's volumes, and the ConfigMaps that the pod can use."""

    mounts: Sequence[Mount] = ()
    volumes: Sequence[Volume] = ()
    config_maps: NamespacedConfigMaps = field(default_factory=NamespacedConfigMaps)
    working_dir: str = ""

    @property
    def has_any(self) -> bool:
        """Whether the pod mounts a ConfigMap at all."""
        return any(isinstance(v.source, Known) and isinstance(v.source.value, ConfigMapVolume) for v in self.volumes)

    def find(self, path: str) -> Field | None:
        """The text of a file; None where it does not come from a ConfigMap that can be seen."""
        whole = posixpath.normpath(posixpath.join(self.working_dir, path))
        best: tuple[int, Field | None] = (-1, None)
        for mount in self.mounts:
            below = _below(whole, posixpath.normpath(mount.path))
            if below is not None and len(mount.path) > best[0]:
                best = len(mount.path), self._in_volume(mount, below)
        found = best[1]
        return found if found is not None and isinstance(found.value, str) else None

    def _in_volume(self, mount: Mount, below: str) -> Field | None:
        volume = next((volume for volume in self.volumes if volume.name == mount.volume), None)
        if volume is None or not isinstance(volume.source, Known):
            return None
        source = volume.source.value
        if not isinstance(source, ConfigMapVolume):
            return None
        data = self.config_maps.data(source.name)
        file = posixpath.normpath(posixpath.join(mount.sub_path, below)) if below or mount.sub_path else ""
        return _files(source, data).get(file) if data is not None else None


def _below(path: str, folder: str) -> str | None:
    """The path below a folder, "" for the folder itself, None for a path elsewhere."""
    if path == folder:
        return ""
    prefix = folder if folder.endswith("/") else f"{folder}/"
    return path[len(prefix) :] if path.startswith(prefix) else None


def _files(source: ConfigMapVolume, data: Mapping[str, Field]) -> Mapping[str, Field]:
    """The files of a volume by name: all keys, or those that it lists."""
    if not source.items:
        return data
    return {path: data[key] for key, path in source.items if key in data}
