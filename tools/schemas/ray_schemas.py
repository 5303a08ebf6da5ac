"""Write `schemas/ray/`: what releases of Ray let a Serve configuration say, and which vLLM `ray[llm]` takes.

    python -m tools.schemas.ray_schemas --date 2026-11-29     # reads the wheel of every release; uses the network
    python -m tools.schemas.ray_schemas --check               # the files are as they were written; offline

`--archives FOLDER` takes wheels that are already there. A wheel has 70 MB; each is deleted once it was read.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.schemas import digests
from tools.schemas.program import Program
from tools.schemas.pydantic_fields import Facts, fields_of, forbids_unknown, model_class, with_nested
from tools.schemas.release import fetch
from tools.schemas.stretches import histories
from tools.schemas.values import Class

_TO_2_52 = "2.44.0 2.44.1 2.45.0 2.46.0 2.47.0 2.47.1 2.48.0 2.49.0 2.49.1 2.49.2 2.50.0 2.50.1 2.51.0 2.51.1 2.51.2"
_SINCE_2_52 = (
    "2.52.0 2.52.1 2.53.0 2.54.0 2.54.1 2.55.0 2.55.1 2.56.0 2.56.1 2.57.0 2.57.1 2.58.0 2.58.1 2.59.0 2.60.0"
)
RELEASES = tuple(f"{_TO_2_52} {_SINCE_2_52}".split(" "))
FILES = ("ray/fields.json", "ray/releases.json")
_KEPT = ("ray/serve/", "ray/llm/", "ray/util/accelerators/")
_SERVE = {
    "ServeDeploySchema": "ray.serve.schema",
    "DeploymentSchema": "ray.serve.schema",
    "AutoscalingConfig": "ray.serve.config",
}
_LLM = ("LLMConfig", "LLMServingArgs", "DPOpenAiServingArgs", "PDServingArgs")
_REQUIRES = re.compile(
    r"^Requires-Dist: vllm(?:\[[^\]]*\])?\s*\(?(?P<range>[^;)]*)\)?\s*;.*extra == [\"']llm[\"']", re.M
)
_TYPE = re.compile(r'^\w+ = "(?P<type>[^"]+)"$', re.M)

_BEFORE_249: dict[str, object] = {"max_ongoing_requests": 20, "target_ongoing_requests": 10, "max_replicas": 10}
_LLM_DEFAULTS: dict[str, dict[str, object]] = {
    "2.44.0": _BEFORE_249,
    "2.49.0": {"max_ongoing_requests": 10**9, "target_ongoing_requests": 10**9, "max_replicas": 10},
    "2.50.0": {"max_ongoing_requests": 10**9, "target_ongoing_requests": 10**9, "max_replicas": 1},
}
"""What Serve LLM gives a deployment that says nothing, from the release named on: typed by hand from the decorator of
`LLMDeployment` (to 2.48), `LLMServer.get_serve_options` (2.49) and `DEFAULT_DEPLOYMENT_OPTIONS` (since 2.50)."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """The parts of one release that are read."""

    version: str
    archive: str
    sha256: str
    metadata: str
    files: dict[str, str]


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done or in order, 1 not in order, 2 usage."""
    parser = argparse.ArgumentParser(prog="python -m tools.schemas.ray_schemas", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--check", action="store_true", help="only compare the files with their recorded digests")
    parser.add_argument("--date", help="the day the wheels were read, YYYY-MM-DD")
    parser.add_argument("--archives", type=Path, help="folder with ray-X.Y.Z-*.whl")
    options = parser.parse_args(arguments)
    if not options.check:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", options.date or ""):
            parser.error("--date YYYY-MM-DD is needed to write tables")
        write(options.date, (_wheel(version, options.archives) for version in RELEASES))
    found = digests.problems(FILES)
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


def write(date: str, wheels: Iterator[Wheel]) -> None:
    """Write both files, reading one wheel after the other."""
    said: dict[str, dict[str, Facts]] = {}
    releases: dict[str, dict[str, object]] = {}
    defaults: dict[str, object] = {}
    for wheel in wheels:
        said[wheel.version] = fields(wheel)
        defaults = _LLM_DEFAULTS.get(wheel.version, defaults)
        releases[wheel.version] = {
            "vllm": vllm_range(wheel.metadata),
            "llm_defaults": defaults,
            "accelerator_types": accelerator_types(wheel),
            "file": wheel.archive,
            "sha256": wheel.sha256,
        }
        print(f"{wheel.version}: {len(said[wheel.version])} fields, vllm {releases[wheel.version]['vllm']}")
    head = {"format_version": 1, "date": date, "made_by": "tools/schemas/ray_schemas.py", "source": "wheels of ray"}
    digests.write("ray", "fields.json", digests.lines({**head, "versions": list(said)}, "fields", histories(said)))
    digests.write("ray", "releases.json", digests.lines(head, "releases", releases))


def fields(wheel: Wheel) -> dict[str, Facts]:
    """By `Model.key`. The entry of a model itself says whether it refuses keys that it does not know."""
    found: dict[str, Facts] = {}
    for cls in _models(Program(wheel.files)):
        found[cls.name] = {"forbids_unknown": forbids_unknown(cls)}
        for name, facts in fields_of(cls).items():
            found[f"{cls.name}.{name}"] = facts
    return found


def _models(program: Program) -> Iterator[Class]:
    roots = [model_class(program, module, name) for name, module in _SERVE.items()]
    for name in _LLM:
        roots += [model_class(program, module, name) for module in _defining(program, name)][:1]
    seen: set[str] = set()
    for root in roots:
        for cls in with_nested(root):
            if cls.name not in seen:
                seen.add(cls.name)
                yield cls


def _defining(program: Program, name: str) -> Iterator[str]:
    """The modules under `ray.llm._internal.serve` that define a class of that name; they move between releases."""
    for path, text in program.files.items():
        if path.startswith("ray/llm/_internal/serve/") and f"class {name}(" in text:
            yield path.removesuffix(".py").replace("/", ".")


def vllm_range(metadata: str) -> str:
    """The versions of vLLM that `ray[llm]` takes, as its metadata says: `>=0.11.0`, `==0.29.0`."""
    found = _REQUIRES.search(metadata)
    return found["range"].strip() if found else ""


def accelerator_types(wheel: Wheel) -> list[str]:
    """The values of `ray.util.accelerators`."""
    return sorted(set(_TYPE.findall(wheel.files["ray/util/accelerators/accelerators.py"])))


def _wheel(version: str, archives: Path | None) -> Wheel:
    with tempfile.TemporaryDirectory() as scratch:
        kept = sorted(archives.glob(f"ray-{version}-*.whl")) if archives else []
        return read(version, kept[0] if kept else fetch("ray", version, Path(scratch), wheel=True))


def read(version: str, archive: Path) -> Wheel:
    """The parts of a wheel that are needed, in memory."""
    with archive.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    with zipfile.ZipFile(archive) as wheel:
        names = wheel.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        files = {name: wheel.read(name).decode() for name in names if name.startswith(_KEPT) and name.endswith(".py")}
        return Wheel(version, archive.name, digest, wheel.read(metadata).decode(), files)


if __name__ == "__main__":
    sys.exit(main())
