"""The image holds no kernels for the GPU."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.engine_arguments import Releases
from controlplane.rules.engine_gpu import gpus_of_engine
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.deployed_engine import DeployedEngine, engines_of
from controlplane.stack.facts import value_of
from controlplane.stack.model import Stack

_RELEASE = regex(r"(?:.*/)?vllm-openai:v?\d+\.\d+\.\d+(?:\.post\d+)?(?:@.*)?\Z")
"""The image of a release; a tag with more in it names another build."""

_OLDEST = ((Releases("0.20.0"), (7, 5)), (Releases("0.8.5"), (7, 0)))
"""The least compute capability that the image is built for; the first stretch that has the release counts."""


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        oldest, gpus = _oldest(engine), gpus_of_engine(engine)
        if oldest is not None and gpus is not None and gpus.all_below(oldest) and engine.container is not None:
            yield Finding(
                f"vLLM {engine.version} is built for compute capability {oldest[0]}.{oldest[1]} and newer; "
                f"{gpus.name} has {gpus.capabilities()}",
                at=engine.container.image,
                otherwise=engine.place,
                remedy="Use a newer GPU" + (", or an image before 0.20.0." if oldest == (7, 5) else "."),
                related=((gpus.origin, f"the GPU: {gpus.name}"),),
            )


def _oldest(engine: DeployedEngine) -> tuple[int, int] | None:
    image = value_of(engine.container.image) if engine.container is not None else None
    if image is None or not _RELEASE.match(image):
        return None
    return next((least for releases, least in _OLDEST if releases.has(engine.version)), None)


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The image is compiled for a list of GPU generations. On an older one CUDA finds no kernel (`no "
    "kernel image is available for execution on the device`), after the pod was scheduled and the model was read.",
    remedy="Use a GPU of the list, or the last image that has it.",
    sources=("vLLM 0.10.2 to 0.26.0, docker/Dockerfile: torch_cuda_arch_list (7.0 until 0.19.0, 7.5 from 0.20.0)",),
    bad=(example("", product="Tesla-V100-SXM2-32GB").replace("vllm-openai:v0.33.0", "vllm-openai:v0.33.0  # fires"),),
    good=(example("", product="Tesla-V100-SXM2-32GB", version="0.19.0"),),
    check=check,
)
