"""What an agreement carries into the cluster and into histories."""

from __future__ import annotations

from controlplane.cli.requests import agreement


def test_a_secret_in_the_reason_is_not_kept() -> None:
    token = "hf_" + "abcdefghijklmnopqrstuvwxyz012345"
    agreed = agreement(f"the token {token} was rotated", force=False)
    assert token not in agreed.reason
    assert "was rotated" in agreed.reason
