"""Where Temporal is, and how a failure to reach it is told."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from controlplane.adapters.errors import Misconfigured, Unreachable
from controlplane.adapters.temporal.connection import TemporalSettings, connect, settings_from


def test_nothing_is_configured_without_an_address() -> None:
    assert settings_from({"TEMPORAL_NAMESPACE": "prod"}) is None


def test_an_address_alone_means_the_default_namespace_without_tls() -> None:
    assert settings_from({"TEMPORAL_ADDRESS": "10.0.0.7:7233"}) == TemporalSettings("10.0.0.7:7233")


@pytest.mark.parametrize(
    "variable", ["TEMPORAL_API_KEY", "TEMPORAL_TLS_SERVER_CA_CERT_PATH", "TEMPORAL_TLS_CLIENT_CERT_PATH"]
)
def test_a_key_or_a_certificate_turns_tls_on(variable: str) -> None:
    settings = settings_from({"TEMPORAL_ADDRESS": "10.0.0.7:7233", variable: "value"})
    assert settings is not None
    assert settings.tls


def test_tls_may_be_turned_off_for_an_api_key() -> None:
    settings = settings_from({"TEMPORAL_ADDRESS": "10.0.0.7:7233", "TEMPORAL_API_KEY": "k", "TEMPORAL_TLS": "false"})
    assert settings is not None
    assert not settings.tls


def test_a_value_that_is_neither_true_nor_false_is_told() -> None:
    with pytest.raises(Misconfigured, match="TEMPORAL_TLS is 'maybe'"):
        settings_from({"TEMPORAL_ADDRESS": "10.0.0.7:7233", "TEMPORAL_TLS": "maybe"})


def test_the_api_key_is_not_shown() -> None:
    assert "sesame" not in repr(TemporalSettings("10.0.0.7:7233", api_key="sesame"))


def test_a_server_that_does_not_answer_is_unreachable() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
        with pytest.raises(Unreachable, match=f"does not answer at {address}: Connection refused$"):
            asyncio.run(connect(TemporalSettings(address)))


def test_a_certificate_without_its_key_is_told(tmp_path: Path) -> None:
    settings = TemporalSettings("127.0.0.1:1", tls=True, certificate=tmp_path / "tls.crt")
    with pytest.raises(Misconfigured, match="needs its key"):
        asyncio.run(connect(settings))


def test_a_tls_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    settings = TemporalSettings("127.0.0.1:1", tls=True, ca=tmp_path / "absent.pem")
    with pytest.raises(Misconfigured, match=r"cannot read the TLS file .*absent\.pem"):
        asyncio.run(connect(settings))
