from __future__ import annotations

import json
from typing import Any

import pytest

from controlplane.adapters.errors import (
    AdapterError,
    FieldConflict,
    Forbidden,
    NotFound,
    Refused,
    ServerFault,
    Stale,
    Throttled,
)
from controlplane.adapters.kubernetes.answers import (
    AlreadyExists,
    Answer,
    Expired,
    conflicts,
    failure,
    label,
    names_missing_namespace,
    refusal,
)


def answer(status: int, *, headers: dict[str, str] | None = None, secret: bool = False, **state: Any) -> Answer:
    body = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": status, **state})
    return Answer("apply of Deployment/llm/chat", status, body.encode(), headers or {}, secret)


def conflict_cause(message: str, path: str) -> dict[str, str]:
    return {"reason": "FieldManagerConflict", "message": message, "field": path}


@pytest.mark.parametrize(
    ("refused", "kind", "retryable"),
    [
        pytest.param(answer(400, reason="BadRequest", message="x"), Refused, False, id="400"),
        pytest.param(answer(401, reason="Unauthorized", message="x"), Forbidden, False, id="401"),
        pytest.param(answer(403, reason="Forbidden", message="x"), Forbidden, False, id="403"),
        pytest.param(answer(404, reason="NotFound", message="x"), NotFound, False, id="404"),
        pytest.param(answer(409, reason="Conflict", message="object has been modified"), Stale, False, id="409"),
        pytest.param(answer(409, reason="AlreadyExists", message="x"), AlreadyExists, False, id="409-exists"),
        pytest.param(
            answer(409, details={"causes": [conflict_cause('conflict with "hpa" using v1', ".spec.replicas")]}),
            FieldConflict,
            False,
            id="409-field-manager",
        ),
        pytest.param(answer(410, reason="Expired", message="x"), Expired, False, id="410"),
        pytest.param(answer(422, reason="Invalid", message="x"), Refused, False, id="422"),
        pytest.param(answer(429, reason="TooManyRequests", message="x"), Throttled, True, id="429"),
        pytest.param(
            answer(500, reason="InternalError", message="failed calling webhook"), ServerFault, True, id="500"
        ),
        pytest.param(
            answer(
                500, message="failed to create typed patch object (llm/chat): .spec.x: field not declared in schema"
            ),
            Refused,
            False,
            id="500-that-is-the-objects-fault",
        ),
        pytest.param(answer(503, reason="ServiceUnavailable", message="x"), ServerFault, True, id="503"),
    ],
)
def test_a_refusal_becomes_the_error_of_its_status(
    refused: Answer, kind: type[AdapterError], retryable: bool
) -> None:
    error = failure(refused)
    assert type(error) is kind
    assert error.retryable is retryable
    assert "Deployment/llm/chat" in error.message
    assert error.remedy.endswith(".")


def test_the_servers_explanation_is_in_the_message() -> None:
    error = failure(answer(422, reason="Invalid", message="spec.replicas: Invalid value: -1"))
    assert error.message == (
        "apply of Deployment/llm/chat: the API server answered 422 Invalid: spec.replicas: Invalid value: -1"
    )


@pytest.mark.parametrize(
    ("headers", "state", "seconds"),
    [
        pytest.param({"retry-after": "7"}, {}, 7.0, id="header"),
        pytest.param({}, {"details": {"retryAfterSeconds": 3}}, 3.0, id="details"),
        pytest.param({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, {}, None, id="a-date-is-not-read"),
        pytest.param({}, {}, None, id="not-told"),
    ],
)
def test_throttling_carries_the_time_to_wait(
    headers: dict[str, str], state: dict[str, Any], seconds: float | None
) -> None:
    error = failure(answer(429, headers=headers, **state))
    assert isinstance(error, Throttled)
    assert error.retry_after == seconds


def test_each_field_conflict_names_its_manager_and_path() -> None:
    refused = answer(
        409,
        reason="Conflict",
        details={
            "causes": [
                conflict_cause('conflict with "kubectl-edit" using apps/v1', ".spec.replicas"),
                conflict_cause('conflict with "say \\"hi\\"" with subresource "scale" using v1', ".spec.paused"),
            ]
        },
    )
    error = failure(refused)
    assert isinstance(error, FieldConflict)
    assert error.conflicts == (("kubectl-edit", ".spec.replicas"), ('say "hi"', ".spec.paused"))
    assert "kubectl-edit: .spec.replicas" in error.message
    assert [(each.manager, each.label) for each in conflicts(refused)] == [
        ("kubectl-edit", "spec.replicas"),
        ('say "hi"', "spec.paused"),
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".spec.replicas", "spec.replicas"),
        (
            '.spec.template.spec.containers[name="vllm"].image',
            "spec.template.spec.containers[name=vllm].image",
        ),
        ('.spec.ports[port=80,protocol="TCP"].name', "spec.ports[port=80,protocol=TCP].name"),
        (".metadata.labels.app", "metadata.labels.app"),
        (".metadata.annotations.example.com/owner", 'metadata.annotations["example.com/owner"]'),
    ],
)
def test_paths_of_the_server_are_written_as_ours(path: str, expected: str) -> None:
    assert label(path) == expected


def test_an_answer_about_a_secret_is_not_repeated() -> None:
    refused = answer(
        422,
        secret=True,
        reason="Invalid",
        message='Secret "token" is invalid: data[key]: Invalid value: "hunter2"',
        details={
            "causes": [{"reason": "FieldValueInvalid", "message": 'Invalid value: "hunter2"', "field": "data[key]"}]
        },
    )
    for text in (failure(refused).message, refusal(refused).message):
        assert "hunter2" not in text
        assert "data[key]" in text


def test_the_page_of_a_proxy_is_not_taken_for_the_api_server() -> None:
    error = failure(Answer("reading Pod/a/b", 403, b"<html>Sign in</html>", {"content-type": "text/html"}))
    assert isinstance(error, Forbidden)
    assert "not the API server's own answer (text/html)" in error.message
    assert "Sign in" not in error.message


def test_a_good_answer_that_is_not_json_is_the_servers_fault() -> None:
    with pytest.raises(ServerFault, match="not JSON"):
        Answer("reading Pod/a/b", 200, b"<html>").value()


def test_a_missing_namespace_is_told_from_a_missing_object() -> None:
    assert names_missing_namespace(answer(404, reason="NotFound", details={"kind": "namespaces", "name": "llm"}))
    assert not names_missing_namespace(answer(404, reason="NotFound", details={"kind": "deployments", "name": "a"}))
