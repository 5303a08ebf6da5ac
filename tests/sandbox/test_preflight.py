from __future__ import annotations

import socket
from pathlib import Path

import pytest

from controlplane.sandbox.errors import LowDisk, PortInUse
from controlplane.sandbox.preflight import (
    GIB,
    free_bytes,
    free_ports,
    port_is_free,
    require_disk,
    require_port,
)


def test_low_disk_states_both_numbers_the_place_and_the_remedy() -> None:
    with pytest.raises(LowDisk) as caught:
        require_disk(9 * GIB, 2 * GIB + GIB // 2, Path("/small"), "building the sandbox's programs")
    assert caught.value.fact == (
        "building the sandbox's programs needs 9.0 GiB on the disk of /small; 2.5 GiB are free"
    )
    assert "CONTROLPLANE_CACHE" in caught.value.remedy


def test_enough_disk_is_silent() -> None:
    require_disk(9 * GIB, 9 * GIB, Path("/large"), "building")


def test_free_bytes_of_a_folder_that_does_not_exist_are_those_of_its_disk(tmp_path: Path) -> None:
    assert free_bytes(tmp_path / "not" / "yet") == pytest.approx(free_bytes(tmp_path), abs=GIB)


def test_port_that_somebody_listens_on_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert not port_is_free(port)
        with pytest.raises(PortInUse, match=f"port {port} on 127.0.0.1 is in use"):
            require_port(port, port_is_free(port))


def test_free_ports_are_different_and_free() -> None:
    ports = free_ports(5)
    assert len(set(ports)) == 5
    for port in ports:
        require_port(port, port_is_free(port))
