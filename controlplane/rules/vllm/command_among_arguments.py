"""`vllm serve` stands among the arguments of an image that starts it by itself."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.rule import Finding, Rule
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.model import Stack
from controlplane.stack.versions import is_project_image


def check(stack: Stack) -> Iterator[Finding]:
    for engine in engines_of(stack):
        container = engine.container
        if container is None or engine.workload.ray is not None or not engine.engine.behind_entrypoint:
            continue
        if is_project_image(container.image):
            started = " ".join(engine.engine.launch) or "vllm serve"
            yield Finding(
                f"'{started}' of container {container.name} is an argument, and the image's entrypoint starts the "
                "server itself: it takes these words for its own arguments, and ends",
                at=engine.place,
                related=((container.image, "starts `vllm serve` with whatever stands in args"),),
            )


_EXAMPLE = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat}}
spec:
  strategy: {{type: Recreate}}
  selector: {{matchLabels: {{app: chat}}}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec:
      containers:
        - name: engine{note}
          image: vllm/vllm-openai:v0.33.0
          {words}
          resources:
            limits: {{nvidia.com/gpu: 1}}
"""

RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="Kubernetes puts `args` behind the image's entrypoint, and that of vLLM's images is the server: "
    "`vllm serve vllm serve MODEL` takes `vllm` for the model and ends with `unrecognized arguments`.",
    remedy="Take the words that start the server out of args, or write them as command.",
    sources=("vLLM 0.8.5, 0.11.0, 0.20.0 and 0.33.0, docker/Dockerfile: ENTRYPOINT",),
    bad=(_EXAMPLE.format(note="  # fires", words="args: [vllm, serve, org/chat, --max-num-seqs=8]"),),
    good=(
        _EXAMPLE.format(note="", words="command: [vllm, serve, org/chat, --max-num-seqs=8]"),
        _EXAMPLE.format(note="", words="args: [org/chat, --max-num-seqs=8]"),
    ),
    check=check,
)
