"""Which version of Ray an image has, as far as its name tells."""

from __future__ import annotations

from controlplane.regex import regex
from controlplane.stack.facts import Fact, Known, Unknown, Why

_IMAGE = regex(r"(?:[^/]+/)*rayproject/(?P<name>ray|ray-llm|ray-ml)(?::(?P<tag>[^/@:]+))?(?:@[^/]+)?\Z")
_RELEASE = regex(r"(?P<version>\d+\.\d+\.\d+(?:rc\d+|\.post\d+)?)(?:-.*)?\Z")


def ray_version_of_image(image: Fact[str]) -> Fact[str]:
    """The version in the tag of Ray's own images (`rayproject/ray-llm:2.52.0-py311-cu128`), in any registry."""
    match = _IMAGE.match(image.value) if isinstance(image, Known) else None
    release = _RELEASE.match(match["tag"]) if match and match["tag"] else None
    if release is None or not isinstance(image, Known):
        return Unknown(Why.VERSION, "rayVersion, or an image rayproject/ray:X.Y.Z")
    return Known(release["version"], image.origin)


def is_ray_llm_image(image: Fact[str]) -> bool:
    """Whether an image is Ray's own for Serve LLM, which brings the vLLM that its version of Ray is locked to."""
    match = _IMAGE.match(image.value) if isinstance(image, Known) else None
    return match is not None and match["name"] == "ray-llm"
