"""`controlplane lint` over 1,000 files against `kubeconform` over the same files, paired in one run.

    python -m benchmarks.lint_1000 --kubeconform PROGRAM                      it finds no schema and only reads
    python -m benchmarks.lint_1000 --kubeconform PROGRAM --openapi FILE       with schemas of a cluster's own API
    python -m benchmarks.lint_1000 --check                                    exit 1 above 3 s, ours alone

The program builds by `go install github.com/yannh/kubeconform/cmd/kubeconform@latest`; FILE is what
`kubectl get --raw /openapi/v2` prints. It holds objects against schemas and knows nothing of what is inside a
command line or a serveConfigV2, so the two do different work on the same bytes; custom resources have no schema
there. Whole processes are timed, from start to exit. Each round runs both, in turns, so that a busy machine slows
both alike; the ratio is the median over the rounds. The processor time of each (user and system, of all processes)
is shown beside it: on a machine that others use, the least of it says most.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.lint_corpus import write_corpus

FILES = 1000
ALLOWED_SECONDS = 3.0
ONE_FILE_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class Run:
    """How long one process took: by the clock, and of processors."""

    wall_s: float
    cpu_s: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 with `--check` when a limit is missed."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory(prefix="lint-1000-") as folder:
        corpus = Path(folder) / "corpus"
        files = write_corpus(corpus, FILES)
        size = sum(path.stat().st_size for path in files)
        largest = max(path.stat().st_size for path in files)
        print(f"{len(files)} files, {size:,} bytes: {size // len(files):,} on average, {largest:,} at most")
        processors, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
        print(f"{processors} processors, load {load:.1f}, Python {sys.version.split()[0]}")
        program = [sys.executable, "-m", "controlplane.cli.main", "lint", "--exit-zero"]
        ours = [*program, str(corpus)]
        theirs = _kubeconform(options, Path(folder), corpus)
        # An installed program finds its modules compiled; here the first run compiles them.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "compiled")
        _run([*program, str(files[0])])
        rounds = [_paired(ours, theirs, number) for number in range(options.rounds)]
        alone = [_run([*program, str(files[0])]) for _ in range(options.rounds)]
    _report("controlplane lint", [own for own, _ in rounds])
    _report("controlplane lint, one file", alone)
    if theirs:
        others = [other for _, other in rounds if other is not None]
        pairs = [(own, other) for own, other in rounds if other is not None]
        by_clock = statistics.median(own.wall_s / other.wall_s for own, other in pairs)
        by_processor = statistics.median(own.cpu_s / other.cpu_s for own, other in pairs)
        _report("kubeconform", others)
        print(f"ratio {by_clock:.1f} by the clock, {by_processor:.1f} of processor time")
        print(f"(median of {len(pairs)} paired rounds; under 1 is faster than kubeconform)")
    slow = _median([own for own, _ in rounds]) > ALLOWED_SECONDS or _median(alone) > ONE_FILE_SECONDS
    return int(options.check and slow)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kubeconform", default="")
    parser.add_argument("--openapi", default="")
    parser.add_argument("--check", action="store_true")
    return parser.parse_args(arguments)


def _kubeconform(options: argparse.Namespace, folder: Path, corpus: Path) -> list[str]:
    if not options.kubeconform:
        return []
    schemas = folder / "schemas"
    schemas.mkdir()
    if options.openapi:
        count = write_schemas(json.loads(Path(options.openapi).read_text(encoding="utf-8")), schemas)
        print(f"kubeconform has {count} schemas")
    else:
        print("kubeconform has no schemas: it reads and finds the kind of every object")
    location = f"{schemas}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"
    processes = str(len(os.sched_getaffinity(0)))
    return [
        options.kubeconform, "-n", processes, "-ignore-missing-schemas", "-schema-location", location,
        "-ignore-filename-pattern", "values", "-summary", str(corpus),
    ]  # fmt: skip


def write_schemas(api: dict[str, Any], folder: Path) -> int:
    """A JSON Schema for every kind of an API server's OpenAPI, in the files that kubeconform asks for."""
    definitions: dict[str, Any] = api["definitions"]
    count = 0
    for name, definition in definitions.items():
        for kind in definition.get("x-kubernetes-group-version-kind", ()):
            reached = {key: definitions[key] for key in sorted(_reached(definitions, name))}
            group = kind["group"].partition(".")[0]
            suffix = "-".join(part for part in (group, kind["version"]) if part)
            schema = {"$ref": f"#/definitions/{name}", "definitions": reached}
            (folder / f"{kind['kind'].lower()}-{suffix}.json").write_text(json.dumps(schema), encoding="utf-8")
            count += 1
    return count


def _reached(definitions: dict[str, Any], name: str) -> set[str]:
    """A definition and all that it refers to."""
    found, pending = {name}, [name]
    while pending:
        for reference in _references(definitions[pending.pop()]):
            if reference not in found:
                found.add(reference)
                pending.append(reference)
    return found


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].rpartition("/")[2]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _paired(ours: Sequence[str], theirs: Sequence[str], number: int) -> tuple[Run, Run | None]:
    """One run of both; who goes first alternates."""
    if not theirs:
        return _run(ours), None
    if number % 2:
        other = _run(theirs, (0, 1))
        return _run(ours), other
    own = _run(ours)
    return own, _run(theirs, (0, 1))


def _run(arguments: Sequence[str], allowed: tuple[int, ...] = (0,)) -> Run:
    before, started = _processor_seconds(), time.perf_counter()
    done = subprocess.run(arguments, check=False, capture_output=True, text=True)
    wall_s = time.perf_counter() - started
    if done.returncode not in allowed:
        raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}\n{done.stdout[-500:]}{done.stderr}")
    return Run(wall_s, _processor_seconds() - before)


def _processor_seconds() -> float:
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _median(runs: Sequence[Run]) -> float:
    return statistics.median(run.wall_s for run in runs)


def _report(name: str, runs: Sequence[Run]) -> None:
    clock, processor = [run.wall_s for run in runs], [run.cpu_s for run in runs]
    for measure, taken in (("by the clock", clock), ("of processors", processor)):
        print(f"{name:28} {measure:13} least {min(taken):.2f} s, median {statistics.median(taken):.2f} s")


if __name__ == "__main__":
    raise SystemExit(main())
