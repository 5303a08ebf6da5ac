"""Which version of vLLM a container runs, as far as its image's tag tells.

A tag tells it only for the images that the project itself publishes, and copies of them that keep the name. Other
projects count releases of their own (`lmcache/vllm-openai:v0.3.9`, `llm-d-cuda:v0.3.0`, `vllm:25.08-py3`), and a
suffix that is no variant of the project's own builds marks a fork: its code is that of a commit, not of the release.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from controlplane.frozen import frozen
from controlplane.regex import regex
from controlplane.stack.facts import Fact, Known, Unknown, Why

VERSION_ANNOTATION: Final = "controlplane.dev/vllm-version"
"""The version of vLLM, on a workload or its pods; it wins over the image's tag."""

_IMAGE = regex(r"(?P<path>(?:[^/@]+/)*)(?P<name>[^/:@]+)(?::(?P<tag>[^/:@]+))?(?:@[^/]+)?\Z")
_SERVERS = frozenset(
    {
        "vllm-openai",
        "vllm-openai-rocm",
        "vllm-openai-cpu",
        "vllm-openai-xpu",
        "vllm-cpu-release-repo",
        "vllm-arm64-cpu-release-repo",
    }
)
"""The vLLM project's images whose entrypoint is the server (its documentation of installation, 0.33)."""

_LIBRARIES = frozenset({"vllm-tpu"})
"""The vLLM project's images that start nothing by themselves."""

_OTHER_PROJECTS = frozenset({"lmcache"})
"""Owners whose image has the name of the server's, and their own releases as tags."""

_OWNERS = frozenset({"", "vllm", "q9t5s3a7"})
"""The vLLM project's own, at Docker Hub and in Amazon's public registry."""

_ADDED = regex(
    r"PATH|HOME|HOSTNAME|PWD|USER|LANG|TERM|SHLVL|VLLM_USAGE_SOURCE|JOB_COMPLETION_INDEX"
    r"|.*_PORT|.*_PORT_.*|.*_SERVICE_.*|(LWS|RAY|KUBERNETES|NVIDIA|CUDA|NV|LD|LC|HF|UV|PIP|PYTHON|TORCH|TPU|POD)_?.*"
)
"""Variables that an image, a Service in the namespace, a webhook or a device plug-in may set."""

_RELEASE = regex(r"v?(?P<version>\d\.\d+\.\d+(?:\.post\d+|rc\d+)?)(?P<variant>[-+].*)?\Z")
_VARIANT = regex(
    r"cu\d{2,3}|cuda\d+(\.\d+)*|rocm\d*(\.\d+)*|cpu|gpu|tpu|xpu|base|extra|py\d{2,3}"
    r"|x86(_64)?|amd64|arm64|aarch64|ubuntu\d{4}|ubuntu\d{2}\.\d{2}"
)


@frozen
class _Image:
    owner: str
    name: str
    tag: str


def is_vllm_image(image: str) -> bool:
    """Whether an image is named like one of vLLM's own server images, in any registry."""
    return _parts(image).name in _SERVERS


def is_project_image(image: Fact[str]) -> bool:
    """Whether an image is one of the server's that the vLLM project publishes, or a copy that keeps its path."""
    return isinstance(image, Known) and is_vllm_image(image.value) and _parts(image.value).owner in _OWNERS


def starts_vllm(image: Fact[str]) -> bool:
    """Whether an image's entrypoint is vLLM's server, so that arguments alone are its command line."""
    return isinstance(image, Known) and is_vllm_image(image.value)


def is_unset_by_image(image: Fact[str]) -> Callable[[str], bool]:
    """Whether it is certain that a container of this image has no variable that its manifest does not set.

    Certain only for images of the vLLM project, which set few (`docker/Dockerfile`, 0.33), and for names that neither
    Kubernetes nor a device plug-in adds.
    """
    known = is_project_image(image)
    return lambda name: known and not _ADDED.fullmatch(name)


def version_of_image(image: str) -> str | None:
    """The version that the tag of an image of the vLLM project names (`v0.33.0`), or None."""
    parts = _parts(image)
    if parts.name not in _SERVERS | _LIBRARIES or parts.owner in _OTHER_PROJECTS:
        return None
    return _release(parts.tag)


def vllm_version(image: Fact[str]) -> Fact[str]:
    """The version of vLLM that a container's image names, at the place of the image."""
    if not isinstance(image, Known):
        return Unknown(Why.VERSION, "the image of the container")
    version = version_of_image(image.value)
    if version is None:
        needs = f"the annotation {VERSION_ANNOTATION}, an image vllm-openai:vX.Y.Z, or --assume vllm=X.Y.Z"
        return Unknown(Why.VERSION, needs)
    return Known(version, image.origin)


def _parts(image: str) -> _Image:
    match = _IMAGE.match(image)
    if match is None:
        return _Image("", "", "")
    return _Image(match["path"].rstrip("/").rpartition("/")[2], match["name"], match["tag"] or "")


def _release(tag: str) -> str | None:
    """The release of a tag whose other parts are all variants of the project's own builds."""
    match = _RELEASE.match(tag)
    if match is None:
        return None
    variants = re.split(r"[-+]", match["variant"][1:]) if match["variant"] else []
    return match["version"] if all(_VARIANT.fullmatch(variant) for variant in variants) else None
