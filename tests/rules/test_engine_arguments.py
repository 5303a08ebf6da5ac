from __future__ import annotations

import pytest

from controlplane.rules.engine_arguments import Releases


@pytest.mark.parametrize(
    ("since", "gone", "version", "expected"),
    [
        ("0.11.0", "0.18.0", "0.11.0", True),
        ("0.11.0", "0.18.0", "0.17.1", True),
        ("0.11.0", "0.18.0", "0.18.0", False),
        ("0.11.0", "0.18.0", "0.10.2", False),
        ("0.11.1", "", "0.11.0", False),
        ("0.11.1", "", "v0.33.0", True),
        ("", "0.10.0", "0.9.2", True),
        ("", "", "0.9.2", True),
    ],
)
def test_stretch_holds_releases_from_its_first_to_before_its_end(
    since: str, gone: str, version: str, expected: bool
) -> None:
    assert Releases(since, gone).has(version) is expected


@pytest.mark.parametrize("version", [None, "latest", "nightly-abc"])
def test_what_is_no_release_is_in_no_stretch(version: str | None) -> None:
    assert not Releases().has(version)
