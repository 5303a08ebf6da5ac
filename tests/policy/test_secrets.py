"""What looks like a secret."""

from __future__ import annotations

import pytest

from controlplane.policy.secrets import is_literal_secret, without_secrets
from tests.policy.folder import FLEET, findings, service


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HF_TOKEN", "hunter2"),
        ("VLLM_API_KEY", "1234"),
        ("HF_TOKEN", "1234"),
        ("DB_URL", "postgres://user:pass@db.example/x"),
        ("FOO", "hf_" + "a" * 30),
        ("AWS_SECRET_ACCESS_KEY", "abc"),
    ],
)
def test_secrets_are_seen_by_name_or_value(name: str, value: str) -> None:
    assert is_literal_secret(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GOOGLE_APPLICATION_CREDENTIALS", "/var/key.json"),
        ("HF_TOKEN_PATH", "/x"),
        ("AWS_SHARED_CREDENTIALS_FILE", "/x"),
        ("TOKEN_LIMIT", "4096"),
        ("VLLM_MAX_TOKENS_PER_EXPERT", "3"),
        ("TOKENIZERS_PARALLELISM", "false"),
        ("PASSWORD", ""),
        ("PROXY", "http://proxy.example:8080"),
    ],
)
def test_names_of_places_and_counts_are_no_secrets(name: str, value: str) -> None:
    assert not is_literal_secret(name, value)


def test_message_about_a_value_leaves_a_token_out() -> None:
    token = "hf_" + "a" * 30
    assert without_secrets(f"is {token} here") == "is (redacted) here"
    (found,) = findings(FLEET, service(memory=f"{{kvCacheDtype: 1, dtype: {token}}}"))[1:]
    assert token not in found.message
