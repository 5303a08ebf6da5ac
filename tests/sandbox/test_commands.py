from __future__ import annotations

from pathlib import Path

import pytest

from controlplane.sandbox.binaries import binaries_in
from controlplane.sandbox.commands import PROGRAMS, STOP_ORDER, Place, Ports, command, environment

PLACE = Place(
    folder=Path("/state/one"),
    ports=Ports(etcd=2001, etcd_peer=2002, api=2003, kwok=2004, operator=2005),
    binaries=binaries_in(Path("/cache")),
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_gets_nothing_of_the_users_environment(program: str) -> None:
    given = environment(program, PLACE)
    assert given["HOME"] == "/state/one/home"
    assert given["KUBECONFIG"] == f"/state/one/{program}.kubeconfig"
    assert given["CONTROLPLANE_SANDBOX"] == "/state/one"
    assert "HTTPS_PROXY" not in given


def test_every_port_is_used_by_exactly_one_server() -> None:
    listening = [
        flag
        for program in PROGRAMS
        for flag in command(program, PLACE)
        if flag.startswith(("--listen-", "--secure-port=2", "--server-address", "--health-probe-bind-address"))
    ]
    assert sorted(flag[-4:] for flag in listening) == ["2001", "2002", "2003", "2004", "2005"]


def test_every_program_is_stopped_and_the_api_server_before_etcd() -> None:
    stopped = [program for group in STOP_ORDER for program in group]
    assert sorted(stopped) == sorted(PROGRAMS)
    assert stopped[-2:] == ["kube-apiserver", "etcd"]
