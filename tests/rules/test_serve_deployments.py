"""What is said of a key that a release of Ray does not know."""

from __future__ import annotations

from controlplane.rules.serve_deployments import unknown_key


def test_misspelt_key_names_the_one_that_is_meant() -> None:
    assert unknown_key("DeploymentSchema", "max_ongoing_request", "2.60.0") == (
        "is no key of DeploymentSchema",
        "max_ongoing_requests",
    )


def test_key_that_was_renamed_long_ago_names_its_successor() -> None:
    assert unknown_key("DeploymentSchema", "max_concurrent_queries", "2.60.0")[1] == "max_ongoing_requests"


def test_key_of_a_newer_release_says_since_when() -> None:
    assert unknown_key("AutoscalingConfig", "aggregation_function", "2.46.0") == ("is in Ray from 2.51.0 on", None)


def test_key_like_no_other_has_no_successor() -> None:
    assert unknown_key("DeploymentSchema", "zzz", "2.60.0") == ("is no key of DeploymentSchema", None)
