"""Planted secrets are in nothing that is shown, wherever they stand and however they are asked for."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.plan.changes import ChangeSet, Conflict, Observed, Refusal
from controlplane.plan.differ import foreign_fields, object_changes, overruled_fields
from controlplane.plan.plan import plan, ref_of
from controlplane.plan.redaction import (
    LAST_APPLIED,
    REDACTED,
    names_secret,
    names_secret_variable,
    redact_at,
    redact_field,
    redact_object,
    redact_text,
    secret_parts,
)
from tests.plan.realistic import at, bundle, deployment, emitted, with_value

_SERVER = ("spec", "template", "spec", "containers", 0)


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("HF_TOKEN", True),
        ("HUGGING_FACE_HUB_TOKEN", True),
        ("hfToken", True),
        ("AWS_SECRET_ACCESS_KEY", True),
        ("apiKey", True),
        ("api-key", True),
        ("DB_PASSWORD", True),
        ("redis-password", True),
        ("Authorization", True),
        ("HF_TOKEN_PATH", False),
        ("secretName", False),
        ("MAX_NUM_BATCHED_TOKENS", False),
        ("TOKENIZERS_PARALLELISM", False),
        ("topologyKey", False),
        ("key", False),
        ("RAY_AUTH_MODE", False),
        ("KV_CACHE_DTYPE", False),
        ("tokenExpirationSeconds", False),
        ("", False),
    ],
)
def test_names_of_secrets_are_known_by_their_words(name: str, secret: bool) -> None:
    assert names_secret(name) is secret


def test_a_variable_that_ends_in_key_holds_a_secret() -> None:
    assert names_secret_variable("VLLM_KEY")
    assert not names_secret("VLLM_KEY")


PLACES: dict[str, Any] = {
    "secret data": lambda s: {"kind": "Secret", "data": {"a": base64.b64encode(s.encode()).decode()}},
    "secret stringData": lambda s: {"kind": "Secret", "stringData": {"a": s}},
    "invalid secret": lambda s: {"kind": "Secret", "data": {"a": {"b": [s]}}},
    "last applied": lambda s: {"kind": "X", "metadata": {"annotations": {LAST_APPLIED: f'{{"a": "{s}"}}'}}},
    "variable": lambda s: with_value(deployment(), (*_SERVER, "env", 0), {"name": "HF_TOKEN", "value": s}),
    "flag with =": lambda s: with_value(deployment(), (*_SERVER, "args", 0), f"--api-key={s}"),
    "flag before": lambda s: with_value(deployment(), (*_SERVER, "args"), ["--api-key", s, "--port", "1"]),
    "shell": lambda s: with_value(deployment(), (*_SERVER, "command"), ["sh", "-c", f"export API_TOKEN={s}; run"]),
    "shell flag": lambda s: with_value(deployment(), (*_SERVER, "command"), ["sh", "-c", f"serve --api-key {s}"]),
    "url": lambda s: with_value(deployment(), (*_SERVER, "args", 0), f"https://user:{s}@hub.example/x"),
    "map": lambda s: {"kind": "RayCluster", "spec": {"rayStartParams": {"redis-password": s}}},
    "header": lambda s: {"kind": "X", "httpHeaders": [{"name": "Authorization", "value": f"Basic {s}"}]},
    "config": lambda s: {"kind": "ConfigMap", "data": {"app.yaml": f"length: 3\napi_key: {s}\n"}},
    "token in text": lambda s: {"kind": "ConfigMap", "data": {"x": f"see hf_{s} and sk-{s} or Bearer {s}"}},
    "web token": lambda s: {"kind": "ConfigMap", "data": {"x": f"eyJ{s}.{s}.{s}"}},
}
_SECRETS = st.text("ABCDEFGHJKMNPQRTUVWXYZabcdefghijkmnpqrtuvwxyz23456789", min_size=12, max_size=30)


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=25, deadline=None)
@given(secret=_SECRETS)
def test_a_planted_secret_is_not_in_the_shown_object(place: str, secret: str) -> None:
    shown = json.dumps(redact_object(PLACES[place](secret)))
    assert secret not in shown
    assert base64.b64encode(secret.encode()).decode() not in shown
    assert REDACTED in shown


@pytest.mark.parametrize("place", [p for p in PLACES if p not in ("token in text", "web token", "config", "shell")])
@settings(max_examples=15, deadline=None)
@given(secret=_SECRETS)
def test_a_planted_secret_is_not_in_a_message_that_echoes_the_object(place: str, secret: str) -> None:
    planted = PLACES[place](secret)
    for text in (json.dumps(planted), str(planted), f"admission webhook denied: {planted} is no good"):
        assert secret not in redact_text(text, planted)


def test_a_refusal_of_an_invalid_secret_does_not_tell_its_value() -> None:
    message = (
        "failed to create typed patch object (llm/hf; /v1, Kind=Secret): .data.password: expected string, "
        "got &value.valueUnstructured{Value:123456}"
    )
    assert "123456" not in redact_text(message, {"kind": "Secret", "data": {"password": 123456}})
    assert "123456" not in redact_text(message, {"kind": "Secret"})


def test_messages_without_secrets_stay_as_they_are() -> None:
    message = (
        'Deployment.apps "chat" is invalid: spec.template.spec.containers[0].image: Required value; '
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0"
    )
    assert redact_text(message, deployment()) == message


def test_references_to_secrets_are_shown() -> None:
    assert redact_object(deployment()) == deployment()


def test_a_field_is_hidden_by_what_stands_around_it() -> None:
    manifest = with_value(deployment(), (*_SERVER, "env", 0), {"name": "HF_TOKEN", "value": "plain"})
    assert redact_at(manifest, (*_SERVER, "env", 0, "value"), "plain") == REDACTED
    assert redact_at(manifest, (*_SERVER, "env", 2, "value"), "INFO") == "INFO"


@pytest.mark.parametrize(
    ("label", "value", "shown"),
    [
        ("spec.containers[name=vllm].env[name=HF_TOKEN].value", "plain", REDACTED),
        ("spec.containers[name=vllm].env[name=LEVEL].value", "INFO", "INFO"),
        ("spec.rayStartParams.redis-password", "plain", REDACTED),
        ('spec.rayStartParams["redis-password"]', "plain", REDACTED),
        ("spec.template.spec.enableServiceLinks", False, False),
        ("spec.replicas", 3, 3),
        ("data.token", "(redacted, before)", "(redacted, before)"),
        ("spec.containers[name=vllm]", {"env": [{"name": "HF_TOKEN", "value": "plain"}]}, None),
    ],
)
def test_a_field_is_hidden_by_its_label(label: str, value: Any, shown: Any) -> None:
    found = redact_field(label, value)
    assert found == shown if shown is not None else "plain" not in json.dumps(found)


@settings(max_examples=20, deadline=None)
@given(secret=_SECRETS, other=_SECRETS)
def test_a_planted_secret_is_nowhere_in_a_plan(secret: str, other: str) -> None:
    wanted = PLACES["variable"]("a-harmless-value")
    live = PLACES["variable"](secret)
    live["metadata"] |= {"uid": "u", "annotations": {LAST_APPLIED: f'{{"token": "{other}"}}'}}
    live["metadata"]["managedFields"] = [
        {"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:metadata": {"f:annotations": {}}}}
    ]
    predicted = with_value(live, (*_SERVER, "env", 0, "value"), other)
    results = (
        object_changes(live, predicted, emitted(wanted)),
        foreign_fields(live, wanted),
        overruled_fields(predicted, emitted(wanted)),
        _shown_part(_refused_plan(wanted, live, secret)),
    )
    text = repr(results)
    assert secret not in text
    assert other not in text


def _refused_plan(wanted: Any, live: Any, secret: str) -> ChangeSet:
    conflict = Conflict("spec.x", "helm", f"conflict: token={secret}")
    refusal = Refusal(422, "Invalid", f"env value {secret} is not allowed")
    observed = Observed(ref_of(wanted), live, None, conflicts=(conflict,), refusal=refusal)
    return plan(bundle(wanted), [observed])


def _shown_part(change_set: ChangeSet) -> tuple[Any, ...]:
    return tuple((c.fields, c.foreign, c.conflicts, c.refusal, c.consequences) for c in change_set.changes)


def test_the_object_itself_is_left_alone() -> None:
    manifest = PLACES["variable"]("plain-secret")
    redact_object(manifest)
    assert at(manifest, (*_SERVER, "env", 0, "value")) == "plain-secret"


@given(
    st.lists(
        st.sampled_from(
            ["--api-key", "a=", "token", ": ", " ", '"', "'", "x1y2", ",", "\\", "\n", "-", "hf_abcdefgh"]
        )
    )
)
def test_parts_of_a_text_that_are_secret_are_those_that_are_hidden(pieces: list[str]) -> None:
    text = "".join(pieces)
    parts = secret_parts(text)
    assert bool(parts) == (redact_text(text) != text)
    assert all(0 <= start <= end <= len(text) for start, end in parts)


def test_flag_and_its_value_may_stand_on_two_lines_or_in_a_list() -> None:
    for text in ("serve --api-key \\\n  hunter2 --port 1", '["--api-key", "hunter2"]', "[--api-key, hunter2]"):
        assert "hunter2" not in redact_text(text)
        [(start, end)] = secret_parts(text)
        assert text[start:end] == "hunter2"
