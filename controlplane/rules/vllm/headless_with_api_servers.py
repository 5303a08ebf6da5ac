"""A pod without a front end is to start API servers."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, is_on, spelled, whole_number
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine, _ in engines_with_tables(stack):
        count = engine.written("api_server_count")
        servers = whole_number(count)
        if is_on(engine, "headless") and servers is not None and servers > 0:
            flags = spelled(engine, "api_server_count"), spelled(engine, "headless")
            yield Finding(
                f"{flags[0]} is {servers} and {flags[1]} starts none, so the engine refuses to start",
                at=count,
                otherwise=engine.place,
                remedy=f"Take {flags[0]} out here; it belongs to the pod that has the front end.",
                related=((engine.written("headless"), "no API server here"),),
            )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="A headless pod holds ranks that another pod's front end serves. vLLM refuses API servers there "
    "(`cannot be used with --headless`).",
    remedy="Leave the API servers to the pod with the front end.",
    sources=("vLLM 0.10.2 to 0.33.0, entrypoints/cli/serve.py",),
    bad=(
        example(
            "- --headless\n- --api-server-count=2  # fires\n- --data-parallel-size=2\n- --data-parallel-size-local=1"
        ),
    ),
    good=(example("- --api-server-count=2\n- --data-parallel-size=2", gpus=2),),
    check=in_every_release(check),
)
