"""What is looked at before work starts: room on the disk and ports that were asked for.

The judgements are plain functions of what was measured; the measuring functions stand beside them.
"""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

from controlplane.sandbox.errors import LowDisk, PortInUse

GIB = 1024**3

BUILD_PEAK_BYTES = 8 * GIB
"""The most that building all programs uses at one time: Go's caches, dropped afterwards, and the programs."""

GO_BYTES = GIB // 2
"""An unpacked Go toolchain with the package that carried it."""

STATE_BYTES = GIB
"""Room for etcd's data and the logs of a running sandbox (etcd allows itself 2 GiB, and begins with 0.1)."""


def require_disk(needed_bytes: int, free_bytes: int, folder: Path, purpose: str) -> None:
    """Raise `LowDisk` unless `free_bytes` at `folder` cover `needed_bytes`."""
    if free_bytes < needed_bytes:
        raise LowDisk(
            f"{purpose} needs {_gib(needed_bytes)} GiB on the disk of {folder}; {_gib(free_bytes)} GiB are free",
            "Free some, or set CONTROLPLANE_CACHE (programs) or XDG_STATE_HOME (state) to a folder on a larger disk.",
        )


def free_bytes(folder: Path) -> int:
    """Bytes an ordinary user may still write to the disk that holds `folder`, which need not exist yet."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    return shutil.disk_usage(existing).free


def require_port(port: int, free: bool) -> None:
    """Raise `PortInUse` unless the port is free."""
    if not free:
        raise PortInUse(
            f"port {port} on 127.0.0.1 is in use by another program",
            "Ask for another port, or for none: the sandbox then takes a free one.",
        )


def port_is_free(port: int) -> bool:
    """Whether a program could listen on this loopback port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As the servers do: a port whose connections are only winding down counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_ports(count: int) -> tuple[int, ...]:
    """Different loopback ports that are free now; all are held until the last is found."""
    probes = [socket.socket(socket.AF_INET, socket.SOCK_STREAM) for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return tuple(probe.getsockname()[1] for probe in probes)
    finally:
        for probe in probes:
            probe.close()


def _gib(size_bytes: int) -> str:
    return f"{size_bytes / GIB:.1f}"
