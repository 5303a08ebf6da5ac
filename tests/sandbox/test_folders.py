from __future__ import annotations

from pathlib import Path

import pytest

from controlplane.sandbox.errors import UnusableName
from controlplane.sandbox.folders import Folders, folders_of


@pytest.mark.parametrize(
    ("environment", "cache", "state"),
    [
        ({"HOME": "/home/u"}, "/home/u/.cache/controlplane", "/home/u/.local/state/controlplane/sandbox"),
        (
            {"HOME": "/home/u", "XDG_CACHE_HOME": "/c", "XDG_STATE_HOME": "/s"},
            "/c/controlplane",
            "/s/controlplane/sandbox",
        ),
        (
            {"HOME": "/home/u", "XDG_CACHE_HOME": "/c", "CONTROLPLANE_CACHE": "/big"},
            "/big",
            "/home/u/.local/state/controlplane/sandbox",
        ),
        (
            {"HOME": "/home/u", "XDG_CACHE_HOME": "", "XDG_STATE_HOME": "", "CONTROLPLANE_CACHE": ""},
            "/home/u/.cache/controlplane",
            "/home/u/.local/state/controlplane/sandbox",
        ),
    ],
    ids=["home", "xdg", "own cache variable wins", "empty variables count as unset"],
)
def test_folders_follow_the_environment(environment: dict[str, str], cache: str, state: str) -> None:
    assert folders_of(environment) == Folders(cache=Path(cache), state=Path(state))


@pytest.mark.parametrize("name", ["", "..", "a/b", "UPPER", "-x", "x-", "a" * 41, ".x.lock"])
def test_name_that_cannot_be_a_folder_or_context_is_refused(name: str) -> None:
    with pytest.raises(UnusableName, match="cannot be a sandbox's name"):
        Folders(Path("/c"), Path("/s")).sandbox(name)


def test_lock_lies_outside_the_folder_that_down_removes(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "cache", tmp_path / "state")
    assert folders.sandbox("one") not in folders.lock("one").parents


def test_names_lists_folders_and_not_locks(tmp_path: Path) -> None:
    folders = Folders(tmp_path, tmp_path)
    folders.sandbox("two").mkdir()
    folders.sandbox("one").mkdir()
    folders.lock("one").touch()
    assert folders.names() == ("one", "two")
    assert Folders(tmp_path, tmp_path / "absent").names() == ()
