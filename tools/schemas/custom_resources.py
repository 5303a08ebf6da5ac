"""Write `schemas/custom-resources/`: fields of the custom resources that we read, release by release.

    python -m tools.schemas.custom_resources --date 2026-11-29     # Go modules; uses the network
    python -m tools.schemas.custom_resources --check               # the files are as they were written; offline

`--folder kuberay@1.7.0=PATH` takes the sources of a release from a folder, for those that the module proxy lacks.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.schemas import digests
from tools.schemas.crd_fields import OPAQUE, Facts, fields_of, kind_of
from tools.schemas.stretches import histories

_GATE = re.compile(
    r"^\t(?P<name>\w+):\s+\{Default: (?P<on>true|false), PreRelease: featuregate\.(?P<stage>\w+)\},", re.M
)


@dataclass(frozen=True, slots=True)
class Component:
    """A Go module with CustomResourceDefinitions in one of its folders."""

    module: str
    folder: str
    kinds: tuple[str, ...]
    versions: tuple[str, ...]
    opaque: frozenset[str] = OPAQUE


COMPONENTS: Mapping[str, Component] = {
    "kuberay": Component(
        "github.com/ray-project/kuberay/ray-operator",
        "config/crd/bases",
        ("RayCluster", "RayService", "RayJob", "RayCronJob"),
        ("1.3.2", "1.4.2", "1.5.0", "1.5.1", "1.6.0", "1.6.1", "1.6.2", "1.7.0"),
    ),
    "leaderworkerset": Component(
        "sigs.k8s.io/lws", "config/crd/bases", ("LeaderWorkerSet",), ("0.6.2", "0.7.0", "0.8.0")
    ),
    "keda": Component("github.com/kedacore/keda/v2", "config/crd/bases", ("ScaledObject",), ("2.18.0", "2.19.0")),
    "kueue": Component(
        "sigs.k8s.io/kueue",
        "config/components/crd/bases",
        ("ClusterQueue", "LocalQueue", "ResourceFlavor"),
        ("0.14.0", "0.15.0"),
        OPAQUE - {"resources"},
    ),
    "kserve": Component(
        "github.com/kserve/kserve",
        "config/crd/full/llmisvc",
        ("LLMInferenceService",),
        ("0.16.0", "0.17.0"),
        OPAQUE | {"router", "scaling"},
    ),
}
FILES = tuple(f"custom-resources/{name}.json" for name in COMPONENTS)


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done or in order, 1 not in order, 2 usage."""
    parser = argparse.ArgumentParser(prog="python -m tools.schemas.custom_resources", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--check", action="store_true", help="only compare the files with their recorded digests")
    parser.add_argument("--date", help="the day the sources were read, YYYY-MM-DD")
    parser.add_argument(
        "--folder", action="append", default=[], metavar="NAME@VERSION=PATH", help="sources of one release"
    )
    options = parser.parse_args(arguments)
    if not options.check:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", options.date or ""):
            parser.error("--date YYYY-MM-DD is needed to write tables")
        given = dict(text.split("=", 1) for text in options.folder)
        for name, component in COMPONENTS.items():
            _write(name, component, options.date, {key: Path(path) for key, path in given.items()})
    found = digests.problems(FILES)
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


def _write(name: str, component: Component, date: str, given: Mapping[str, Path]) -> None:
    said: dict[str, dict[str, Facts]] = {}
    gates: dict[str, dict[str, dict[str, object]]] = {}
    for version in component.versions:
        folder = given.get(f"{name}@{version}") or _module(f"{component.module}@v{version}")
        said[version] = fields(folder / component.folder, component)
        gates[version] = feature_gates(folder)
        print(f"{name} {version}: {len(said[version])} fields, {len(gates[version])} gates")
    head = {
        "format_version": 1,
        "date": date,
        "made_by": "tools/schemas/custom_resources.py",
        "source": f"{component.module}, {component.folder}: the stored version of each kind",
        "versions": list(said),
    }
    if any(gates.values()):
        head["gates"] = gates
    digests.write("custom-resources", f"{name}.json", digests.lines(head, "fields", histories(said)))


def fields(folder: Path, component: Component) -> dict[str, Facts]:
    """By `Kind.path`, for the component's kinds that the folder defines."""
    found: dict[str, Facts] = {}
    for crd in sorted(folder.glob("*.yaml")):
        if crd.name.count("_") != 1 or "patch" in crd.name:
            continue
        kind = kind_of(crd)[1]
        if kind in component.kinds:
            found |= {f"{kind}.{path}": facts for path, facts in fields_of(crd, component.opaque)}
    return found


def feature_gates(folder: Path) -> dict[str, dict[str, object]]:
    """KubeRay's feature gates: whether on by default, and at which stage."""
    source = folder / "pkg" / "features" / "features.go"
    if not source.exists():
        return {}
    found = (gate.groupdict() for gate in _GATE.finditer(source.read_text(encoding="utf-8")))
    return {gate["name"]: {"on": gate["on"] == "true", "stage": gate["stage"].lower()} for gate in found}


def _module(module: str) -> Path:
    """The folder that Go unpacks a module into, downloaded where it is not there yet."""
    go = shutil.which("go") or "go"
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [go, "mod", "download", "-json", module], cwd=scratch, capture_output=True, text=True, check=False
        )
    answer = json.loads(done.stdout or "{}")
    if "Dir" not in answer:
        raise SystemExit(f"{module}: {answer.get('Error', done.stderr)}")
    return Path(answer["Dir"])


if __name__ == "__main__":
    sys.exit(main())
