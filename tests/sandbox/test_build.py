"""The builder with the real Go toolchain, on a small module served from a folder as a Go module proxy serves it."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from controlplane.sandbox import build as building
from controlplane.sandbox.binaries import MODULES, Binaries, Module, binaries_in
from controlplane.sandbox.build import build, module_file, needed_bytes
from controlplane.sandbox.errors import BuildFailed, LowDisk
from controlplane.sandbox.folders import folders_of
from controlplane.sandbox.preflight import GIB
from controlplane.sandbox.toolchain import go_toolchain

TOOL = Module(
    name="tool",
    path="example.test/tool",
    version="v1.2.3",
    programs=MappingProxyType({"greet": "example.test/tool/cmd/greet"}),
    stamps=("main.version=v1.2.3",),
    data=MappingProxyType({"stages": ("config/*.yaml",)}),
    staging="v0.2.3",
)
TOOL_FILES = {
    "go.mod": (
        "module example.test/tool\n\ngo 1.26.0\n\nrequire example.test/inner v0.0.0\n"
        "replace example.test/inner => ./staging/inner\n"
    ),
    "cmd/greet/main.go": (
        'package main\n\nimport "example.test/inner"\n\nvar version string\n\n'
        "func main() { println(version, inner.Word) }\n"
    ),
    "config/one.yaml": "kind: One\nspec:\n  text: '{{ Now }}'\n",
    "config/other.txt": "not taken",
}
INNER_FILES = {
    "go.mod": "module example.test/inner\n\ngo 1.26.0\n",
    "inner.go": 'package inner\n\nconst Word = "hello"\n',
}


def _serve(proxy: Path, path: str, version: str, files: Mapping[str, str]) -> None:
    folder = proxy / path / "@v"
    folder.mkdir(parents=True)
    (folder / f"{version}.info").write_text(json.dumps({"Version": version}))
    (folder / f"{version}.mod").write_text(files["go.mod"])
    with zipfile.ZipFile(folder / f"{version}.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{path}@{version}/{name}", text)


@pytest.fixture
def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module proxy in a folder, and the real Go toolchain of this machine or of the cache."""
    folder = tmp_path / "proxy"
    _serve(folder, "example.test/tool", "v1.2.3", TOOL_FILES)
    _serve(folder, "example.test/inner", "v0.2.3", INNER_FILES)
    go = go_toolchain(folders_of(os.environ).cache, report=lambda _: None)
    monkeypatch.setenv("PATH", str(go.parent), prepend=os.pathsep)
    monkeypatch.setenv("GOPROXY", f"file://{folder}")
    monkeypatch.setenv("GOSUMDB", "off")
    monkeypatch.setattr(building, "BUILD_PEAK_BYTES", 0)
    return folder


def _only(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controlplane.sandbox.binaries.MODULES", (module,))


def test_module_is_built_stamped_and_put_into_the_cache_with_its_data(
    proxy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _only(TOOL, monkeypatch)
    cache, said = tmp_path / "cache", list[str]()
    killed_before = cache / "building-earlier" / "modules"
    killed_before.mkdir(parents=True)
    binaries = build(cache, report=said.append)
    program = binaries.program("greet")
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stderr == "v1.2.3 hello\n"
    (data,) = binaries.data(TOOL, "stages")
    assert (data.name, json.loads(data.read_text())) == (
        "one.json",
        {"kind": "One", "spec": {"text": "{{ Now }}"}},
    )
    assert sorted(path.name for path in cache.iterdir()) == [".build.lock", "programs"]
    assert said[0].startswith("building tool v1.2.3: once")
    assert said[-1].startswith("[1/1] tool v1.2.3: built in")
    said.clear()
    assert build(cache, report=said.append) == binaries
    assert said == []


def test_build_that_fails_says_what_go_said_and_leaves_nothing(
    proxy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (proxy / "example.test" / "inner" / "@v" / "v0.2.3.zip").unlink()
    _only(TOOL, monkeypatch)
    cache = tmp_path / "cache"
    with pytest.raises(BuildFailed, match=r"go list .* failed:\n[^$]*example.test/inner"):
        build(cache, report=lambda _: None)
    assert sorted(path.name for path in cache.rglob("*")) == [".build.lock", "programs"]


def test_disk_too_small_for_a_build_is_told_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "free_bytes", lambda _: 3 * GIB)
    with pytest.raises(LowDisk, match=r"building the sandbox's programs needs 8\.\d GiB on the disk of .*; 3\.0 GiB"):
        build(tmp_path, report=lambda _: None)
    assert [path.name for path in tmp_path.iterdir()] == [".build.lock"]


def test_nothing_is_needed_where_everything_is_built(tmp_path: Path) -> None:
    for module in MODULES:
        Binaries(tmp_path / "programs").folder(module).mkdir(parents=True)
    said = list[str]()
    assert build(tmp_path, report=said.append) == binaries_in(tmp_path)
    assert said == []


def test_room_for_the_toolchain_is_counted_where_there_is_none() -> None:
    assert needed_bytes(4, go_here=False) > needed_bytes(4, go_here=True) > needed_bytes(0, go_here=True) == 0


def test_module_file_puts_the_staging_version_in_for_each_replaced_module() -> None:
    assert module_file(TOOL, ("example.test/inner",)) == (
        "module sandbox.controlplane.dev/tool\n\ngo 1.26.0\n\n"
        "require example.test/tool v1.2.3\n"
        "replace example.test/inner => example.test/inner v0.2.3\n"
    )
