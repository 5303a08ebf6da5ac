"""CPUs or memory nodes are named for a NUMA binding that is off."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.rules.engine_arguments import engines_with_tables, is_off, is_unset, spelled
from controlplane.rules.engine_releases import in_every_release
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.vllm._example import engine as example
from controlplane.stack.model import Stack


def check(stack: Stack) -> Iterator[Finding]:
    for engine, table in engines_with_tables(stack):
        if table.argument("numa_bind") is None or not is_off(engine, "numa_bind"):
            continue
        for name in ("numa_bind_nodes", "numa_bind_cpus"):
            if not is_unset(engine, name) and engine.engine.complete:
                switch = spelled(engine, "numa_bind")
                yield Finding(
                    f"{spelled(engine, name)} is set and {switch} is not, so the engine refuses to start",
                    at=engine.written(name),
                    otherwise=engine.place,
                    remedy=f"Add {switch}.",
                )


RULE = Rule(
    severity=Severity.ERROR,
    layer=Layer.VLLM,
    since="0.1.0",
    rationale="The lists of nodes and CPUs belong to the binding, and vLLM refuses them without it "
    "(`numa_bind_nodes and numa_bind_cpus require numa_bind=True`).",
    remedy="Switch the binding on.",
    sources=("vLLM 0.20.0 to 0.33.0, ParallelConfig (config/parallel.py)",),
    bad=(example("- --numa-bind-nodes=0  # fires"),),
    good=(example("- --numa-bind\n- --numa-bind-nodes=0"),),
    check=in_every_release(check),
)
