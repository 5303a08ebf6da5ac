"""The order in which a sandbox comes up, and what "ready" means for each of its programs.

etcd; then the API server, which makes the certificate that the kubeconfigs carry; then everything that talks to it.
The KubeRay operator starts only when its resource definitions are established: it does not wait for them itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from controlplane.sandbox import binaries, certificates
from controlplane.sandbox.api import UNREACHABLE, ApiServer, Object, answers, api_of
from controlplane.sandbox.commands import (
    API_SERVER,
    CONTROLLER_MANAGER,
    ETCD,
    KWOK,
    OPERATOR,
    PROGRAMS,
    SCHEDULER,
    Place,
)
from controlplane.sandbox.errors import ApiRefused
from controlplane.sandbox.locks import Report
from controlplane.sandbox.programs import await_ready, ensure_started
from controlplane.sandbox.record import Record
from controlplane.sandbox.stages import stages

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_RAY = "/apis/ray.io/v1"
_VERSION = "sandbox.controlplane.dev/version"
_UNANSWERED = (*UNREACHABLE, ApiRefused)


def bring_up(place: Place, record: Record, context: str, report: Report) -> Record:
    """Start what does not run and wait until all of it is ready; raises `ProgramFailed` or `ApiRefused`."""
    prepare(place)
    for program in (ETCD, API_SERVER):
        record = ensure_started(program, place, record, report)
        _await(program, place, record)
    _write_kubeconfigs(place, context)
    for program in (CONTROLLER_MANAGER, SCHEDULER, KWOK):
        record = ensure_started(program, place, record, report)
    _define_ray_resources(place, record)
    record = ensure_started(OPERATOR, place, record, report)
    for program in PROGRAMS:
        _await(program, place, record)
    return record


def prepare(place: Place) -> None:
    """The files that the programs start from; keys and tokens stay as they are when they exist."""
    for folder in ("logs", "home", "tmp"):
        (place.folder / folder).mkdir(exist_ok=True)
    if not place.service_account_key.exists():
        certificates.write_private(place.service_account_key, certificates.service_account_key())
    if not place.tokens.exists():
        certificates.write_private(place.tokens, certificates.token_file(certificates.new_tokens()))
    upstream = [json.loads(path.read_text()) for path in place.binaries.data(binaries.KWOK, "stages")]
    certificates.write_private(place.stages, stages(upstream))


def _await(program: str, place: Place, record: Record) -> None:
    condition = _READY.get(program)
    if condition:
        await_ready(program, place, record, lambda: condition(place))


def _etcd_answers(place: Place) -> bool:
    return answers(place.ports.etcd, "/health")


def _api_server_is_ready(place: Place) -> bool:
    """By its own certificate, which it writes just before it listens."""
    try:
        return _api(place).ready()
    except OSError:
        return False


def _default_service_account_exists(place: Place) -> bool:
    """Made by the controller manager; without it no pod is admitted."""
    try:
        return api_of(place.kubeconfig).exists("/api/v1/namespaces/default/serviceaccounts/default")
    except _UNANSWERED:
        return False


def _kwok_answers(place: Place) -> bool:
    return answers(place.ports.kwok, "/healthz")


def _operator_is_ready(place: Place) -> bool:
    return answers(place.ports.operator, "/readyz")


_READY: Mapping[str, Callable[[Place], bool]] = {
    ETCD: _etcd_answers,
    API_SERVER: _api_server_is_ready,
    CONTROLLER_MANAGER: _default_service_account_exists,
    KWOK: _kwok_answers,
    OPERATOR: _operator_is_ready,
}
"""The scheduler has no server of its own here and is not waited for: pods wait for it."""


def _authority(place: Place) -> bytes:
    return (place.certificates / "apiserver.crt").read_bytes()


def _api(place: Place) -> ApiServer:
    tokens = certificates.read_tokens(place.tokens.read_text())
    return ApiServer(place.server, _authority(place).decode(), tokens[certificates.ADMIN])


def _write_kubeconfigs(place: Place, context: str) -> None:
    tokens = certificates.read_tokens(place.tokens.read_text())
    paths = {name: place.client_kubeconfig(name) for name in tokens} | {certificates.ADMIN: place.kubeconfig}
    for name, path in paths.items():
        text = certificates.kubeconfig(context, place.server, _authority(place), tokens[name])
        certificates.write_private(path, text)


def _define_ray_resources(place: Place, record: Record) -> None:
    api = api_of(place.kubeconfig)
    definitions = [json.loads(path.read_text()) for path in place.binaries.data(binaries.KUBERAY, "crds")]
    for definition in definitions:
        _define(api, definition)
    names = {definition["spec"]["names"]["plural"] for definition in definitions}
    await_ready(API_SERVER, place, record, lambda: names <= _served(api))


def _served(api: ApiServer) -> set[str]:
    """The resources of Ray that are established: discovery lists no others, and answers without the megabytes."""
    found = api.find(_RAY) or {}
    return {resource["name"] for resource in found.get("resources", ())}


def _define(api: ApiServer, definition: Object) -> None:
    """Create or renew a resource definition; one of this version already is left alone."""
    path = f"{_DEFINITIONS}/{definition['metadata']['name']}"
    live = api.find(path)
    definition["metadata"].setdefault("annotations", {})[_VERSION] = binaries.KUBERAY.version
    if live is None:
        # Not a server-side apply: for an object of this size it takes the API server twice as long.
        api.create(_DEFINITIONS, definition)
    elif live["metadata"].get("annotations", {}).get(_VERSION) != binaries.KUBERAY.version:
        api.apply(path, definition)
