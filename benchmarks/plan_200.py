"""`controlplane plan` of 200 objects against `kubectl diff --server-side` of the same objects, paired in one run.

    python -m benchmarks.plan_200            in a sandbox of its own
    python -m benchmarks.plan_200 --check    exit 1 when ours is the slower one

Whole processes are timed, from start to exit: that is what a person waits for, and ours reads and compiles its
policies in that time. Both see unchanged objects, kubectl with its discovery cache warm. Each round runs both, in
turns, so that a busy machine slows both alike; the ratio is the median over the rounds. The processor time of each
is shown beside it.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controlplane.adapters.kubernetes import Cluster
from controlplane.adapters.kubernetes.observe import concurrently
from controlplane.emit.bundle import Manifest
from controlplane.sandbox.lifecycle import Sandbox, down, up

SANDBOX = "benchmark"
SERVICES = 66
"""Each makes a Deployment, a Service and a PodDisruptionBudget; two namespaces make it 200."""
NAMESPACES = ("bench-a", "bench-b")
QUIET_SECONDS = 2.0

FLEET = f"""\
apiVersion: controlplane.dev/v1alpha1
kind: Fleet
metadata: {{name: bench}}
spec:
  versions: {{kubernetes: 1.36.3}}
  pools:
    - name: h100
      accelerator: {{product: H100-80GB, count: 8}}
      nodes: 20
      cpu: 96
      memory: 1Ti
      labels: {{example.com/pool: h100}}
  storage:
    - {{name: nvme, readBandwidth: 2Gi, claims: [models]}}
  namespaces: [{", ".join(f"{{name: {name}, managed: true}}" for name in NAMESPACES)}]
"""

SERVICE = """\
apiVersion: controlplane.dev/v1alpha1
kind: ModelService
metadata: {{name: chat-{number}, namespace: {namespace}}}
spec:
  fleet: bench
  model: {{name: meta-llama/Llama-3.1-8B-Instruct, from: {{pvc: models}}}}
  runtime: {{kind: deployment, image: "registry.example/vllm-openai:v0.33.0", vllm: 0.33.0}}
  machine: {{pool: h100}}
  memory: {{maxModelLen: 16384}}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 with `--check` when ours is slower."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="plan-200-") as folder, own_sandbox() as sandbox:
        ours, kubectl = prepare(Path(folder), sandbox)
        pairs = [paired(ours, kubectl, round_number) for round_number in range(options.rounds)]
    ratio = statistics.median(own.wall_s / theirs.wall_s for own, theirs in pairs)
    report("controlplane plan", [own for own, _ in pairs])
    report("kubectl diff --server-side", [theirs for _, theirs in pairs])
    print(f"ratio {ratio:.2f} (median of {len(pairs)} paired rounds; under 1 is faster than kubectl)")
    return int(options.check and ratio > 1)


@contextmanager
def own_sandbox() -> Iterator[Sandbox]:
    try:
        yield up(SANDBOX, (), report=print)
    finally:
        down(SANDBOX, report=print)


@dataclass(frozen=True, slots=True)
class Run:
    """How long one process took: by the clock, and of processors (its own, not the API server's)."""

    wall_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Command:
    """A command that must succeed."""

    arguments: Sequence[str]
    environment: Mapping[str, str]

    def run(self) -> Run:
        before, started = processor_seconds(), time.perf_counter()
        done = subprocess.run(self.arguments, env=self.environment, check=False, capture_output=True, text=True)
        wall_s = time.perf_counter() - started
        if done.returncode:
            raise SystemExit(f"{' '.join(self.arguments)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return Run(wall_s, processor_seconds() - before)


def processor_seconds() -> float:
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def prepare(folder: Path, sandbox: Sandbox) -> tuple[Command, Command]:
    """Write the policies, apply what they make, and wait until the controllers are done with it."""
    policies = folder / "policies"
    policies.mkdir()
    (policies / "fleet.yaml").write_text(FLEET)
    for number in range(SERVICES):
        text = SERVICE.format(number=number, namespace=NAMESPACES[number % len(NAMESPACES)])
        (policies / f"chat-{number}.yaml").write_text(text)
    program = [sys.executable, "-m", "controlplane.cli.main"]
    environment = {**os.environ, "HOME": str(folder)}
    manifests = folder / "manifests.yaml"
    with manifests.open("w") as out:
        subprocess.run([*program, "render", str(policies)], env=environment, check=True, stdout=out)
    count = apply_all(sandbox, manifests)
    print(f"{count} objects are applied")
    cluster = ["--kubeconfig", str(sandbox.kubeconfig), "--context", sandbox.context]
    ours = Command([*program, "plan", *cluster, str(policies)], environment)
    kubectl = Command(
        [
            str(sandbox.kubectl),
            *cluster,
            "diff",
            "--server-side",
            "--field-manager",
            "controlplane",
            "-f",
            str(manifests),
        ],
        environment,
    )
    return ours, kubectl


def apply_all(sandbox: Sandbox, manifests: Path) -> int:
    import yaml

    cluster = Cluster.connect(sandbox.kubeconfig, sandbox.context)
    documents: list[Manifest] = [each for each in yaml.safe_load_all(manifests.read_text()) if each]
    namespaces = [each for each in documents if each["kind"] == "Namespace"]
    concurrently(cluster.apply, namespaces)
    concurrently(cluster.apply, [each for each in documents if each["kind"] != "Namespace"])
    await_quiet(cluster, documents)
    return len(documents)


def await_quiet(cluster: Cluster, documents: Sequence[Manifest]) -> None:
    """Until nobody writes the objects any more: a controller at work would slow the first rounds."""
    before: list[str] = []
    while (now := versions(cluster, documents)) != before:
        before = now
        time.sleep(QUIET_SECONDS)


def versions(cluster: Cluster, documents: Sequence[Manifest]) -> list[str]:
    return [each.live["metadata"]["resourceVersion"] if each.live else "" for each in cluster.observe(documents)]


def paired(ours: Command, kubectl: Command, round_number: int) -> tuple[Run, Run]:
    """One run of both; who goes first alternates."""
    if round_number % 2:
        theirs = kubectl.run()
        return ours.run(), theirs
    own = ours.run()
    return own, kubectl.run()


def report(name: str, runs: Sequence[Run]) -> None:
    wall, cpu = [run.wall_s for run in runs], statistics.median(run.cpu_s for run in runs)
    span = f"from {min(wall):.2f} to {max(wall):.2f} s"
    print(f"{name:27} median {statistics.median(wall):.2f} s, {span}, processor {cpu:.2f} s")


if __name__ == "__main__":
    raise SystemExit(main())
