"""The volumes of a pod."""

from __future__ import annotations

from typing import Any, assert_never

from controlplane.emit.bundle import Sourced, sourced
from controlplane.stack.facts import Known
from controlplane.stack.pods import Claim, ConfigMapVolume, EmptyDir, ImageVolume, OtherVolume, Volume


def build(volume: Volume) -> dict[str, Any]:
    """One entry of `volumes`. Raises ValueError for a volume whose content the Stack does not hold."""
    if not isinstance(volume.source, Known):
        raise ValueError(f"cannot write the volume {volume.name!r}: its source is not known")
    kind, content = _source(volume.name, volume.source.value)
    return {"name": Sourced(volume.name, volume.source.origin), kind: Sourced(content, volume.source.origin)}


def _source(
    name: str, source: EmptyDir | Claim | ImageVolume | ConfigMapVolume | OtherVolume
) -> tuple[str, dict[str, Any]]:
    match source:
        case EmptyDir():
            return "emptyDir", _empty_dir(source)
        case Claim():
            return "persistentVolumeClaim", {"claimName": source.name, "readOnly": source.read_only or None}
        case ImageVolume():
            return "image", {"reference": source.reference, "pullPolicy": source.pull_policy or None}
        case ConfigMapVolume():
            items = [{"key": key, "path": path} for key, path in source.items]
            return "configMap", {"name": source.name, "items": items or None, "optional": source.optional or None}
        case OtherVolume():
            raise ValueError(f"cannot write the volume {name!r}: of a {source.kind} only the kind is known")
        case _:
            assert_never(source)


def _empty_dir(source: EmptyDir) -> dict[str, Any]:
    """Without medium and limit it is the one empty map that is written: it is what picks the kind of volume."""
    medium = {"medium": source.medium} if source.medium else {}
    limit = sourced(source.size_limit)
    return medium | ({"sizeLimit": Sourced(limit.value.canonical(), limit.origin)} if limit else {})
