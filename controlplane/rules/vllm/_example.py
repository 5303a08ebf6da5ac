"""The manifest around the arguments of an example: a Deployment that is good in every other way."""

from __future__ import annotations

import textwrap

LLAMA = "meta-llama/Llama-3.1-8B-Instruct"
"""A model of the catalogue: 32 attention heads, 8 KV heads, 131072 positions."""

_HEAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat}}
spec:
  strategy: {{type: Recreate}}
  selector: {{matchLabels: {{app: chat}}}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec:
{pod}\
      containers:
        - name: engine
          image: registry.example/vllm-openai:v{version}{note}
          args:
            - --model={model}
"""
_TAIL = """\
          resources:
            limits: {{{limits}}}
"""
_SHM = """\
          volumeMounts: [{name: shm, mountPath: /dev/shm}]
      volumes: [{name: shm, emptyDir: {medium: Memory}}]
"""


def engine(
    args: str,
    *,
    version: str = "0.33.0",
    model: str = "registry.example/chat",
    env: str = "",
    gpus: int = 1,
    product: str = "",
    note: str = "",
) -> str:
    """A Deployment of one engine; `args` and `env` are items of lists, `note` a comment behind the image.

    `product` is the GPU, as GPU feature discovery names it.
    """
    pod = f"nodeSelector: {{nvidia.com/gpu.product: {product}}}" if product else ""
    parts = [_HEAD.format(version=version, model=model, note=note, pod=_indented(pod, 6)), _indented(args, 12)]
    if env:
        parts += ["          env:\n", _indented(env, 12)]
    parts.append(_TAIL.format(limits=f"nvidia.com/gpu: {gpus}" + (", memory: 64Gi" if gpus > 1 else "")))
    return "".join(parts) + (_SHM if gpus > 1 else "")


def _indented(text: str, by: int) -> str:
    body = textwrap.dedent(text).strip("\n")
    return textwrap.indent(body, " " * by) + "\n" if body else ""
