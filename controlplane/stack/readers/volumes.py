"""The volumes of a pod."""

from __future__ import annotations

from controlplane.stack.facts import Known
from controlplane.stack.manifest_fields import Field
from controlplane.stack.pods import Claim, ConfigMapVolume, EmptyDir, ImageVolume, OtherVolume, Volume


def read(item: Field) -> Volume:
    """One volume. Without a source it is an emptyDir, as an API server fills it in."""
    return Volume(item["name"].plain_text(), Known(_source(item), item.origin), item["name"].origin)


def _source(item: Field) -> EmptyDir | Claim | ImageVolume | ConfigMapVolume | OtherVolume:
    kinds = [key for key, _ in item.entries() if key != "name"]
    match kinds[0] if kinds else "emptyDir":
        case "emptyDir":
            empty = item["emptyDir"]
            return EmptyDir(empty["medium"].plain_text(), empty["sizeLimit"].quantity())
        case "persistentVolumeClaim":
            claim = item["persistentVolumeClaim"]
            return Claim(claim["claimName"].plain_text(), claim["readOnly"].is_true())
        case "image":
            image = item["image"]
            return ImageVolume(image["reference"].plain_text(), image["pullPolicy"].plain_text())
        case "configMap":
            return _config_map(item["configMap"])
        case kind:
            return OtherVolume(kind)


def _config_map(source: Field) -> ConfigMapVolume:
    items = tuple((item["key"].plain_text(), item["path"].plain_text()) for item in source["items"].items())
    return ConfigMapVolume(source["name"].plain_text(), items, source["optional"].is_true())
