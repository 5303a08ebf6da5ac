"""What a sandbox writes down about itself: its ports, the versions it was started with and its processes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from controlplane.sandbox.certificates import write_private
from controlplane.sandbox.commands import Ports
from controlplane.sandbox.processes import Identity

_FORMAT = 1
_FILE = "sandbox.json"


@dataclass(frozen=True, slots=True)
class Record:
    """`processes` by program; a program that is not there was never started."""

    ports: Ports
    versions: Mapping[str, str]
    processes: Mapping[str, Identity] = field(default_factory=dict)

    def with_process(self, program: str, identity: Identity) -> Record:
        return replace(self, processes={**self.processes, program: identity})


def write(folder: Path, record: Record) -> None:
    """Write the record of the sandbox in `folder`."""
    text = json.dumps({"format_version": _FORMAT, **asdict(record)}, indent=2, sort_keys=True)
    write_private(folder / _FILE, text + "\n")


def read(folder: Path) -> Record | None:
    """The record of the sandbox in `folder`; None when there is none that this version can read."""
    try:
        data = json.loads((folder / _FILE).read_text())
        if data["format_version"] != _FORMAT:
            return None
        processes = {program: Identity(**identity) for program, identity in data["processes"].items()}
        return Record(ports=Ports(**data["ports"]), versions=data["versions"], processes=processes)
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        # Unreadable means unknown: its processes are then found by the mark they carry.
        return None
