"""A secret stands in the manifest itself.

Whoever reads the repository or may look at pods has it; a Secret can be guarded, and changed without a commit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from controlplane.diagnostics import Layer, Severity
from controlplane.regex import regex
from controlplane.rules.pod_arithmetic import containers_of
from controlplane.rules.rule import Finding, Rule
from controlplane.rules.wording import evidence
from controlplane.stack.deployed_engine import engines_of
from controlplane.stack.facts import Known
from controlplane.stack.model import Stack, Workload
from controlplane.stack.pods import EnvVar

_ISSUED = regex(
    r"hf_[A-Za-z0-9]{30,}|sk-[A-Za-z0-9_-]{20,}|nvapi-[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|"
    r"github_pat_\w{20,}|glpat-[\w-]{20,}|AKIA[A-Z0-9]{16}|xox[abp]-[A-Za-z0-9-]{10,}"
)
"""How the issuers write their tokens: Hugging Face, OpenAI, NVIDIA, GitHub, GitLab, AWS, Slack."""

_SECRET_NAMES = frozenset(
    {
        "HF_TOKEN",
        "HUGGING_FACE_HUB_TOKEN",
        "VLLM_API_KEY",
        "OPENAI_API_KEY",
        "NGC_API_KEY",
        "WANDB_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "REDIS_PASSWORD",
        "RAY_REDIS_PASSWORD",
        "POSTGRES_PASSWORD",
    }
)
_STAND_IN = regex(
    r"[<>{}$\[\]*]|your|my|replace|change|insert|example|sample|dummy|fake|none|empty|null|unset|todo|xxx|token|"
    r"key|secret|password|test|abc|123|redacted|\.\.\.",
    re.IGNORECASE,
)
"""Words that stand where a secret is to be put: samples are full of them."""

_SAMPLE = regex(r"fake|example|dummy|sample|redacted|your|xxxx|\.\.\.", re.IGNORECASE)
"""The same in what looks like an issued token, where short words may be there by chance."""

_SHORTEST = 16
_FOR_CONTAINERS = (
    "Put it into a Secret and take it from there (valueFrom.secretKeyRef); then replace it, since it was seen."
)
_FOR_RAY = (
    "Put it into a Secret and give it to the pods of the cluster (env, valueFrom.secretKeyRef), whose variables Ray "
    "processes inherit; then replace it, since it was seen."
)


def check(stack: Stack) -> Iterator[Finding]:
    for _, _, container in containers_of(stack):
        yield from _variables(f"of container {container.name}", container.env)
    for workload in stack.workloads:
        yield from _runtime_environments(workload)
    for engine in engines_of(stack):
        written = engine.written("api_key")
        values = written.value if isinstance(written, Known) and isinstance(written.value, list) else [written]
        if isinstance(written, Known) and any(_is_secret("VLLM_API_KEY", _text(value)) for value in values):
            yield Finding(
                "the engine's --api-key is written in the manifest, and shows in every list of processes",
                at=written,
                otherwise=engine.place,
                remedy="Remove the argument and set VLLM_API_KEY from a Secret (valueFrom.secretKeyRef); then "
                "replace the key, since it was seen.",
                evidence=(evidence("--api-key", "not shown", source=str(written.origin)),),
            )


def _text(value: object) -> str:
    inner = value.value if isinstance(value, Known) else value
    return inner if isinstance(inner, str) else ""


def _runtime_environments(workload: Workload) -> Iterator[Finding]:
    """Variables of Ray's runtime environments; an application's are those of its engines too."""
    applications = workload.serve.applications if workload.serve is not None else ()
    seen: set[str] = set()
    for application in applications:
        seen |= {str(variable.origin) for variable in application.variables}
        yield from _variables(f"of Serve application {application.name}", application.variables)
    for engine in workload.engines:
        own = [variable for variable in engine.variables if str(variable.origin) not in seen]
        seen |= {str(variable.origin) for variable in own}
        yield from _variables(f"of engine {engine.role}", own)


def _variables(owner: str, variables: Iterable[EnvVar]) -> Iterator[Finding]:
    for variable in variables:
        value = variable.value
        if isinstance(value, Known) and isinstance(value.value, str) and _is_secret(variable.name, value.value):
            is_container = owner.startswith("of container")
            yield Finding(
                f"variable {variable.name} {owner} holds a secret of {len(value.value)} "
                "characters in the manifest; whoever may read the file or the pod has it",
                at=value,
                otherwise=variable.origin,
                remedy=_FOR_CONTAINERS if is_container else _FOR_RAY,
                evidence=(evidence(f"env {variable.name}", "not shown", source=str(value.origin)),),
            )


def _is_secret(name: str, value: str) -> bool:
    """A token as its issuer writes it, or a long value unlike a word under a name that is known for a secret."""
    if _ISSUED.fullmatch(value.strip()):
        return not _SAMPLE.search(value) and len(set(value)) > 8
    plain = len(value) < _SHORTEST or bool(_STAND_IN.search(value)) or " " in value
    return name in _SECRET_NAMES and not plain and bool(re.search(r"\d", value))


RULE = Rule(
    severity=Severity.WARNING,
    layer=Layer.KUBERNETES,
    since="0.1.0",
    rationale="A token in a manifest is in Git for ever, in every plan and diff, in the annotation of client-side "
    "apply, and readable by all who may get pods. Stand-ins of samples are not told. The value is never printed.",
    remedy="Refer to a Secret, and replace the token.",
    sources=("Kubernetes: valueFrom.secretKeyRef; vLLM: --api-key is also read from VLLM_API_KEY",),
    bad=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  env:
                    - name: HF_TOKEN
                      value: q8WzT4mLr7NcV2pXs9Ea  # fires
        """,
    ),
    good=(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: embed}
        spec:
          selector: {matchLabels: {app: embed}}
          template:
            metadata: {labels: {app: embed}}
            spec:
              containers:
                - name: worker
                  image: registry.example/embed:1.0
                  env:
                    - name: HF_TOKEN
                      valueFrom: {secretKeyRef: {name: hub, key: token}}
                    - {name: OPENAI_API_KEY, value: EMPTY}
                    - {name: NGC_API_KEY, value: "<put the key of your team here>"}
                    - {name: TOKENIZER_MODE, value: auto}
        """,
    ),
    check=check,
)
