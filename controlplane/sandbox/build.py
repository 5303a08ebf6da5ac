"""Builds the sandbox's programs once, from their Go modules, into the cache.

One small Go module is written for each upstream module, because their dependencies disagree. Go's own caches live in
a scratch folder that is dropped afterwards; a finished module's folder appears in the cache by one rename, so a build
that is interrupted leaves nothing half done and the next one goes on with the modules that are missing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from controlplane.sandbox.binaries import Binaries, Module, binaries_in
from controlplane.sandbox.errors import BuildFailed
from controlplane.sandbox.locks import Report, held
from controlplane.sandbox.preflight import BUILD_PEAK_BYTES, GO_BYTES, free_bytes, require_disk
from controlplane.sandbox.toolchain import go_is_here, go_toolchain

_SCRATCH = "building-"
_LONGEST_BUILD_S = 3600
_PROGRESS_S = 10
_TAIL_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class _Workshop:
    """Where one build runs: the toolchain, the environment it gets, and a folder to throw away."""

    go: Path
    environment: Mapping[str, str]
    scratch: Path


def build(cache: Path, *, report: Report) -> Binaries:
    """Build what is missing in `cache`; returns at once when nothing is.

    Raises `LowDisk`, `MissingTool`, `BuildFailed` or `Busy`.
    """
    binaries = binaries_in(cache)
    if not binaries.missing():
        return binaries
    with held(cache / ".build.lock", "the sandbox's programs", report=report, patience_s=_LONGEST_BUILD_S):
        _drop_scratch(cache)
        missing = binaries.missing()
        if missing:
            _build_all(missing, binaries, cache, report)
    return binaries


def needed_bytes(modules: int, go_here: bool) -> int:
    """The room that building `modules` modules takes at its peak, in bytes."""
    return (BUILD_PEAK_BYTES if modules else 0) + (0 if go_here else GO_BYTES)


def module_file(module: Module, replaced: tuple[str, ...]) -> str:
    """The `go.mod` that builds one upstream module; `replaced` are the modules that live inside it (its staging)."""
    lines = [f"module sandbox.controlplane.dev/{module.name}", "", "go 1.26.0", ""]
    lines.append(f"require {module.path} {module.version}")
    lines += [f"replace {path} => {path} {module.staging}" for path in replaced]
    return "\n".join(lines) + "\n"


def _build_all(missing: tuple[Module, ...], binaries: Binaries, cache: Path, report: Report) -> None:
    require_disk(
        needed_bytes(len(missing), go_is_here(cache)), free_bytes(cache), cache, "building the sandbox's programs"
    )
    minutes = sum(module.minutes for module in missing)
    report(f"building {', '.join(map(str, missing))}: once, about {minutes:.0f} min on two cores")
    go = go_toolchain(cache, report)
    binaries.root.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=cache, prefix=_SCRATCH))
    try:
        workshop = _Workshop(go=go, environment=_environment(scratch), scratch=scratch)
        for number, module in enumerate(missing, start=1):
            _build_one(module, binaries.folder(module), workshop, report, f"{number}/{len(missing)}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _environment(scratch: Path) -> dict[str, str]:
    """The user's environment (proxies, certificates, a private module proxy), with caches and choices of our own."""
    ours = {
        "GOCACHE": str(scratch / "cache"),
        "GOMODCACHE": str(scratch / "modules"),
        "GOTMPDIR": str(scratch),
        # Module folders are read-only by default, which makes them hard to delete.
        "GOFLAGS": "-modcacherw -trimpath -buildvcs=false",
        "CGO_ENABLED": "0",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }
    dropped = {"GOOS", "GOARCH", "GOROOT", "GOEXPERIMENT"}
    return {name: value for name, value in os.environ.items() if name not in dropped} | ours


def _build_one(module: Module, target: Path, workshop: _Workshop, report: Report, position: str) -> None:
    began = time.monotonic()
    report(f"[{position}] {module}: fetching")
    source = workshop.scratch / module.name
    out = source / "out"
    out.mkdir(parents=True)
    upstream = _download(module, workshop)
    replaced = _staging(module, Path(upstream["GoMod"]), workshop)
    (source / "go.mod").write_text(module_file(module, replaced))
    _compile(module, source, out, workshop, lambda text: report(f"[{position}] {module}: {text}"))
    _take_data(module, Path(upstream["Dir"]), out)
    out.replace(target)
    report(f"[{position}] {module}: built in {time.monotonic() - began:.0f} s")


def _download(module: Module, workshop: _Workshop) -> dict[str, str]:
    out = _go(workshop, workshop.scratch, "mod", "download", "-json", f"{module.path}@{module.version}")
    answer: dict[str, str] = json.loads(out)
    return answer


def _staging(module: Module, go_mod: Path, workshop: _Workshop) -> tuple[str, ...]:
    """Kubernetes' own go.mod lists the modules that are published from its staging folder as replaced."""
    if module.staging is None:
        return ()
    parsed = json.loads(_go(workshop, workshop.scratch, "mod", "edit", "-json", str(go_mod)))
    return tuple(sorted(entry["Old"]["Path"] for entry in parsed.get("Replace") or ()))


def _compile(module: Module, source: Path, out: Path, workshop: _Workshop, report: Report) -> None:
    packages = sorted(module.programs.values())
    total = len(_go(workshop, source, "list", "-mod=mod", "-deps", *packages).splitlines())
    stamps = " ".join(f"-X {stamp}" for stamp in module.stamps)
    # Several programs at once are named by Go itself, after the last part of their packages.
    target = out / next(iter(module.programs)) if len(packages) == 1 else out
    flags = ("-v", "-mod=mod", f"-ldflags=-s -w {stamps}", "-o", str(target))
    _go_build(workshop, source, (*flags, *packages), total, report)


def _take_data(module: Module, upstream: Path, out: Path) -> None:
    """Each file is one YAML document of up to 1.4 MB; kept as JSON, it is read in milliseconds."""
    for kind, patterns in module.data.items():
        folder = out / kind
        folder.mkdir()
        for path in sorted(path for pattern in patterns for path in upstream.glob(pattern)):
            document = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
            (folder / path.with_suffix(".json").name).write_text(json.dumps(document))
        if not any(folder.iterdir()):
            raise BuildFailed(
                f"{module} has no files at {', '.join(patterns)}",
                "The pinned version and these paths must agree: see controlplane/sandbox/binaries.py.",
            )


def _go(workshop: _Workshop, folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [workshop.go, *arguments], cwd=folder, env=workshop.environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise _refused(arguments, done.stdout + done.stderr)
    return done.stdout


def _go_build(workshop: _Workshop, folder: Path, arguments: tuple[str, ...], total: int, report: Report) -> None:
    """`go build -v` says each package it compiles on a line; every few seconds their number is reported."""
    command: list[str | Path] = [workshop.go, "build", *arguments]
    said: deque[str] = deque(maxlen=40)
    compiled, reported = 0, time.monotonic()
    with subprocess.Popen(
        command, cwd=folder, env=workshop.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        for line in process.stdout or ():
            said.append(line)
            compiled += " " not in line
            if time.monotonic() - reported > _PROGRESS_S:
                reported = time.monotonic()
                report(f"{compiled} of {total} packages compiled")
    if process.returncode != 0:
        raise _refused(("build",), "".join(said))


def _refused(arguments: tuple[str, ...], said: str) -> BuildFailed:
    return BuildFailed(
        f"go {' '.join(arguments[:2])} failed:\n{said[-_TAIL_CHARACTERS:].strip()}",
        "Check the connection to the Go module proxy (GOPROXY) and the room on the disk, then run it again.",
    )


def _drop_scratch(cache: Path) -> None:
    """What a killed build left behind; nobody else builds, we hold the lock."""
    for folder in cache.glob(f"{_SCRATCH}*"):
        shutil.rmtree(folder, ignore_errors=True)
