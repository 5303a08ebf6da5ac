"""The Python files of one release of a package, from its sdist or wheel, without building or importing it.

`pip download` asks an sdist's build backend for metadata, and vLLM's backend imports torch. The metadata is already
in the sdist (PKG-INFO), so pip is given a backend that only copies it: nothing of the package runs.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_BACKEND = """
import pathlib, re
def get_requires_for_build_wheel(config_settings=None):
    return []
def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = pathlib.Path("PKG-INFO").read_text(encoding="utf-8")
    name, version = (re.search(rf"^{key}: (.+)$", info, re.MULTILINE)[1] for key in ("Name", "Version"))
    folder = pathlib.Path(metadata_directory, f"{name}-{version}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_text(info, encoding="utf-8")
    return folder.name
"""


class NoRelease(Exception):
    """pip could not fetch this release in this form; its last lines of output are the message."""


@dataclass(frozen=True, slots=True)
class Release:
    """`files` maps paths inside the package's folder (`vllm/config/cache.py`) to their text."""

    name: str
    version: str
    archive: str
    sha256: str
    files: Mapping[str, str]


def fetch(name: str, version: str, folder: Path, *, wheel: bool = False) -> Path:
    """Download one archive into `folder` with pip and return its path; raises NoRelease."""
    backend = folder / "metadata-only" / "setuptools"
    backend.mkdir(parents=True, exist_ok=True)
    (backend / "__init__.py").touch()
    (backend / "build_meta.py").write_text(_BACKEND, encoding="utf-8")
    target = folder / f"{name}-{version}"
    form = "--only-binary=:all:" if wheel else "--no-binary=:all:"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation"]
    command += ["--no-cache-dir", form, "--dest", str(target), f"{name}=={version}"]
    environment = {**os.environ, "PYTHONPATH": str(backend.parent.absolute())}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoRelease("\n".join(done.stderr.strip().splitlines()[-3:]))
    return next(target.iterdir())


def read(name: str, version: str, archive: Path) -> Release:
    """Read the package's Python files out of an sdist (.tar.gz) or a wheel, in memory."""
    with archive.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    members = _wheel_members(archive) if archive.suffix == ".whl" else _sdist_members(archive)
    files = {path: data.decode("utf-8") for path, data in members if path.startswith(f"{name}/")}
    return Release(name, version, archive.name, digest, files)


def _sdist_members(archive: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(archive) as tar:
        for member in tar:
            path = PurePosixPath(member.name)
            if member.isfile() and path.suffix == ".py":
                stream = tar.extractfile(member)
                assert stream is not None  # noqa: S101 - true of every regular file
                yield str(PurePosixPath(*path.parts[1:])), stream.read()


def _wheel_members(archive: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as wheel:
        for path in wheel.namelist():
            if path.endswith(".py"):
                yield path, wheel.read(path)
