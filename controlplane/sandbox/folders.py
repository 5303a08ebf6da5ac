"""Where the sandbox keeps things: programs in a cache that is shared, each sandbox's state in a folder of its own.

The environment is read once, in `folders_of`; everything else is handed the result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from controlplane.sandbox.errors import UnusableName

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Folders:
    """`cache` holds what is built (half a gigabyte, shared), `state` one folder for each sandbox."""

    cache: Path
    state: Path

    def sandbox(self, name: str) -> Path:
        """The folder of the sandbox called `name`; raises `UnusableName`."""
        if not _NAME.fullmatch(name):
            raise UnusableName(
                f"{name!r} cannot be a sandbox's name",
                "Use 1 to 40 of a-z, 0-9 and '-', beginning and ending with a letter or digit.",
            )
        return self.state / name

    def lock(self, name: str) -> Path:
        """The lock of one sandbox: beside its folder, so that it outlives `down`."""
        return self.state / f".{self.sandbox(name).name}.lock"

    def names(self) -> tuple[str, ...]:
        """The names of all sandboxes that have a folder, sorted."""
        if not self.state.is_dir():
            return ()
        return tuple(sorted(path.name for path in self.state.iterdir() if path.is_dir()))


def folders_of(environment: Mapping[str, str]) -> Folders:
    """The folders that `CONTROLPLANE_CACHE`, `XDG_CACHE_HOME`, `XDG_STATE_HOME` and `HOME` ask for."""
    home = Path(environment.get("HOME") or Path.home())
    cache_home = Path(environment.get("XDG_CACHE_HOME") or home / ".cache")
    state_home = Path(environment.get("XDG_STATE_HOME") or home / ".local" / "state")
    cache = Path(environment.get("CONTROLPLANE_CACHE") or cache_home / "controlplane")
    return Folders(cache=cache.absolute(), state=(state_home / "controlplane" / "sandbox").absolute())
