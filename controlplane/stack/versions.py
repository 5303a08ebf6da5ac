"""Which version of vLLM a container runs, as far as its manifest tells."""

from __future__ import annotations

import re
from typing import Final

VERSION_ANNOTATION: Final = "controlplane.dev/vllm-version"
"""The version of vLLM, on a workload or its pods; it wins over the image's tag."""

_IMAGE = re.compile(r"(?:[^/]+/)*vllm-openai(?::(?P<tag>[^/@:]+))?(?:@[^/]+)?\Z")
_RELEASE = re.compile(r"v?(?P<version>\d+\.\d+\.\d+(?:\.post\d+|rc\d+)?)(?:[-+].*)?\Z")


def is_vllm_image(image: str) -> bool:
    """Whether an image is named like vLLM's own server image, in any registry."""
    return _IMAGE.match(image) is not None


def version_of_image(image: str) -> str | None:
    """The version that the tag of a `vllm-openai` image names (`v0.33.0`), or None."""
    match = _IMAGE.match(image)
    release = _RELEASE.match(match["tag"]) if match and match["tag"] else None
    return release["version"] if release else None
