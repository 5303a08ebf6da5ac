"""Stacks of the deployment runtime, with every field that `emit` writes and every text YAML can trip over.

Left out is what no manifest can say: a collection that is there but empty, a number of replicas that somebody else
owns, a text that is an unrendered template, and on a command line what vLLM's parser reads as something else.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from controlplane.source import parse_quantity
from controlplane.stack.engine import Engine
from controlplane.stack.facts import ABSENT, Derived, Fact, Known, Unknown, Why
from controlplane.stack.manifest_fields import is_templated
from controlplane.stack.model import Stack, Strategy, Workload
from controlplane.stack.pods import (
    Claim,
    ConfigKey,
    Constraints,
    Container,
    Count,
    EmptyDir,
    EnvVar,
    ExecProbe,
    FieldPath,
    HttpGet,
    ImageVolume,
    Mount,
    NodeRequirement,
    PodSet,
    Port,
    Probe,
    SecretKey,
    TcpSocket,
    Toleration,
    TopologySpread,
    Volume,
)
from controlplane.stack.references import DisruptionBudget, Namespace, ObjectRef, Service, ServicePort
from controlplane.stack.vllm_tables import Argument, load_table

WRITTEN = Derived("written by the test")
VERSIONS = ("0.33.0", "0.26.0", "0.12.0", "0.9.2")
LAUNCHES = (
    ("vllm", "serve"),
    ("numactl", "--membind=0", "vllm", "serve"),
    ("python3", "-m", "vllm.entrypoints.openai.api_server"),
    (),
)

AWKWARD = (
    *(
        "on",
        "Yes",
        "y",
        "n",
        "null",
        "~",
        "true",
        "012",
        "0o14",
        "0x1F",
        "1_000",
        "12:30",
        "1e3",
        "-1",
        "+1",
        ".5",
        "1.",
    ),
    *(
        ".inf",
        ".NaN",
        "2026-11-29",
        "0.33.0",
        "1.5",
        "",
        " ",
        "a: b",
        "a #b",
        "a:",
        "-",
        "- a",
        "?",
        "*a",
        "&a",
        "!a",
    ),
    *(
        "%a",
        "@a",
        "`a",
        "|",
        ">",
        "{a}",
        "[a]",
        "'",
        '"',
        "\\",
        "#",
        "=",
        "<<",
        "---",
        "...",
        "a\nb",
        "a\n",
        "a\n\n",
        "\na",
    ),
    *(
        "  a\nb",
        "a \nb",
        "a\n  b",
        "a\tb",
        "\ta",
        "a\r\nb",
        "\x01",
        "\x7f",
        "\x85",
        "\u2028",
        "\ufeff",
        "é",
        "日本",
        "🚀",
    ),
    *("$", "$$", "$x", "$(X)", "$$(X)", "100m", "1Gi", "1E", "25%", "{{ jinja }}", "yes # no", "a, b", "[]", "{}"),
)


def facts(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Known[Any]]:
    """Known values."""
    return values.map(lambda value: Known(value, WRITTEN))


def optional(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Fact[Any]]:
    """Known values, or none."""
    return st.one_of(st.just(ABSENT), facts(values))


texts = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\ufffe\uffff"), max_size=12),
).filter(lambda text: not is_templated(text))

names = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=6)
maps = st.dictionaries(texts, texts, max_size=3)
some = st.dictionaries(texts, texts, min_size=1, max_size=3)
numbers = st.integers(0, 2**31 - 1)
booleans = st.booleans()
quantities = st.sampled_from(
    ["0", "1", "0.5", "500m", "1.25", "8", "16Gi", "1536Mi", "65536Mi", "1000M", "1G", "1Ki", "100u", "1e3", "12E"]
).map(parse_quantity)
amounts = st.dictionaries(
    st.sampled_from(["cpu", "memory", "nvidia.com/gpu", "ephemeral-storage", "rdma/hca"]),
    facts(quantities),
    max_size=3,
)
port_names = st.one_of(st.integers(1, 65535), names)
percentages = st.integers(1, 100).map("{}%".format)


def tuples(values: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    """A few values in order."""
    return st.lists(values, min_size=least, max_size=3).map(tuple)


tolerations = st.builds(
    Toleration,
    key=texts,
    operator=st.sampled_from(["Equal", "Exists"]),
    value=texts,
    effect=st.sampled_from(["", "NoSchedule", "NoExecute"]),
    toleration_seconds=st.one_of(st.none(), numbers),
)
requirements = st.builds(NodeRequirement, key=texts, operator=st.sampled_from(["In", "Exists"]), values=tuples(texts))
spreads = st.builds(
    TopologySpread,
    topology_key=texts,
    max_skew=st.integers(1, 5),
    when_unsatisfiable=st.sampled_from(["DoNotSchedule", "ScheduleAnyway"]),
    match_labels=maps,
)
constraints = st.builds(
    Constraints,
    node_selector=optional(some),
    node_requirements=optional(tuples(requirements, 1)),
    tolerations=optional(tuples(tolerations, 1)),
    spread=optional(tuples(spreads, 1)),
    priority_class=optional(texts),
)
keys = {"name": texts, "key": texts, "optional": booleans}
variables = st.builds(
    EnvVar,
    name=texts,
    value=facts(
        st.one_of(texts, st.builds(SecretKey, **keys), st.builds(ConfigKey, **keys), st.builds(FieldPath, path=texts))
    ),
)
handlers = st.one_of(
    st.builds(HttpGet, path=texts, port=port_names, scheme=st.sampled_from(["HTTP", "HTTPS"])),
    st.builds(TcpSocket, port=port_names),
    st.builds(ExecProbe, command=tuples(texts, 1)),
)
probes = st.builds(Probe, handlers, facts(numbers), facts(numbers), facts(numbers), facts(numbers))
sources = st.one_of(
    st.builds(EmptyDir, medium=st.sampled_from(["", "Memory"]), size_limit=optional(quantities)),
    st.builds(Claim, name=texts, read_only=booleans),
    st.builds(ImageVolume, reference=texts, pull_policy=st.sampled_from(["", "Always"])),
)
optional_texts = optional(texts)
text_tuples = tuples(texts)
volumes = st.builds(Volume, name=texts, source=facts(sources))
volume_tuples = tuples(volumes)
mounts = st.builds(Mount, volume=texts, path=texts, read_only=booleans, sub_path=texts)
ports = st.builds(
    Port,
    name=st.one_of(st.just(""), names),
    number=st.integers(1, 65535),
    protocol=st.sampled_from(["TCP", "UDP"]),
)


def containers(name: st.SearchStrategy[str], **fixed: Any) -> st.SearchStrategy[Container]:
    """Containers without a command line, unless one is given."""
    return st.builds(
        Container,
        name=name,
        image=fixed.pop("image", facts(st.sampled_from(["registry.example/proxy:1.2", "busybox@sha256:0a"]))),
        env=tuples(variables),
        requests=amounts,
        limits=amounts,
        ports=tuples(ports),
        mounts=tuples(mounts),
        startup_probe=st.one_of(st.none(), probes),
        readiness_probe=st.one_of(st.none(), probes),
        liveness_probe=st.one_of(st.none(), probes),
        pre_stop_seconds=optional(st.integers(1, 60)),
        image_pull_policy=optional(st.sampled_from(["Always", "IfNotPresent"])),
        **fixed,
    )


words = tuples(facts(texts))
sidecars = containers(st.just("sidecar"), command=words, args=words)
one_sidecar = st.lists(sidecars, min_size=1, max_size=1)
few_sidecars = st.lists(sidecars, max_size=1)
engine_containers = containers(st.just("engine"))

scalars = st.one_of(texts, booleans, st.none(), st.integers(), st.floats(allow_nan=False, allow_infinity=False))
json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
objects = st.dictionaries(texts, json_values, max_size=3)
_READS_AS_JSON = re.compile(r"\s*(?:[-\d\[{\"]|true|false|null|NaN|Infinity)")
_FLAG_LIKE = re.compile(r"-.")


def of_argument(argument: Argument) -> st.SearchStrategy[Any]:
    """Values that an argument can have."""
    match argument.kind:
        case "bool":
            return booleans if argument.no_flags else st.just(True)
        case "int":
            return st.integers(0, 10**12)
        case "float":
            return st.floats(allow_nan=False, allow_infinity=False)
        case "enum":
            return st.sampled_from([choice for choice in argument.choices if isinstance(choice, str) and choice])
        case "json":
            return objects
        case "json_or_str":
            return st.one_of(objects, _plain(argument).filter(lambda text: "{" not in text))
        case "list":
            return _list_of(argument)
        case _ if any(isinstance(known, int) for known in argument.known):
            return st.sampled_from(argument.known)
        case _:
            return st.one_of(_plain(argument), st.just(True)) if argument.nargs == "?" else _plain(argument)


def _plain(argument: Argument) -> st.SearchStrategy[str]:
    return texts.filter(lambda text: not (argument.optional and text in ("", "None")))


def _list_of(argument: Argument) -> st.SearchStrategy[list[Any]]:
    if argument.separator:
        return st.lists(st.one_of(st.integers(0, 9), names.map("GPU-{}".format)), min_size=1, max_size=3)
    items = {"int": st.integers(-5, 10**6), "float": st.floats(0, 10, allow_nan=False)}.get(
        argument.items or "", _plain(argument).filter(lambda text: not _FLAG_LIKE.match(text) and text)
    )
    return st.lists(items, min_size=1, max_size=3)


@st.composite
def tabled_arguments(draw: st.DrawFn, version: str) -> dict[str, Known[Any]]:
    """Some arguments of one version, `served_model_name`, `model` and `config` aside."""
    table = load_table(version)
    assert table is not None
    apart = {"served_model_name", "model", "config", "shutdown_timeout"}
    usable = [a.name for a in table.arguments.values() if a.name not in apart and (a.kind != "enum" or a.choices)]
    chosen = draw(st.lists(st.sampled_from(usable), unique=True, max_size=5))
    return {name: Known(draw(of_argument(table.arguments[name])), WRITTEN) for name in chosen}


guessable = st.one_of(
    booleans,
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    objects,
    texts.filter(lambda text: not _READS_AS_JSON.match(text)),
)
guessed_arguments = st.dictionaries(
    st.sampled_from(["max_model_len", "some_flag", "from_the_future", "x"]), facts(guessable), max_size=3
)
models = texts.filter(lambda text: text and text != "None" and not text.startswith("-"))

served_names = optional(models.filter(lambda text: not _READS_AS_JSON.match(text)))
known_models = facts(models)


@st.composite
def engines(draw: st.DrawFn, pod_set: str, role: str) -> Engine:
    """An engine in the container "engine"."""
    version = draw(st.one_of(st.none(), st.sampled_from(VERSIONS)))
    arguments = draw(guessed_arguments if version is None else tabled_arguments(version))
    return Engine(
        role=role,
        pod_set=pod_set,
        container="engine",
        version=Unknown(Why.VERSION) if version is None else Known(version, WRITTEN),
        model=draw(known_models),
        arguments=arguments,
        launch=draw(st.sampled_from(LAUNCHES)),
        served_model_name=draw(served_names),
    )


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """A Deployment with or without an engine, whose rollout and termination are safe."""
    name = draw(names)
    labels = draw(maps) | draw(st.sampled_from([{}, {"controlplane.dev/role": "decode"}]))
    engine = draw(st.one_of(st.none(), engines(name, labels.get("controlplane.dev/role", "engine"))))
    image = (
        "registry.example/vllm-openai" if engine is not None and not engine.launch else "registry.example/engine:1"
    )
    made = [replace(draw(engine_containers), image=Known(image, WRITTEN))] if engine else []
    made += draw(one_sidecar if not made else few_sidecars)
    count = Known(draw(st.integers(0, 9)), WRITTEN)
    grace = draw(st.integers(61, 900))
    pods = PodSet(
        name=name,
        count=Count(count, count, count),
        hosts_per_unit=Known(1, WRITTEN),
        containers=tuple(made),
        init_containers=tuple(draw(few_sidecars)),
        volumes=draw(volume_tuples),
        constraints=draw(constraints),
        labels=labels,
        annotations=draw(maps),
        grace_seconds=Known(grace, WRITTEN),
        service_links=Known(False, WRITTEN),
        service_account=draw(optional_texts),
        image_pull_secrets=draw(text_tuples),
    )
    return Workload(
        ref=ObjectRef("apps/v1", "Deployment", draw(names), name),
        pod_sets=(pods,),
        engines=(engine,) if engine else (),
        strategy=draw(rollouts),
        labels=draw(maps),
        annotations=draw(maps),
        selector=draw(maps),
    )


rollouts = st.one_of(
    st.builds(Strategy, type=facts(st.just("Recreate")), progress_deadline_seconds=optional(numbers)),
    st.builds(
        Strategy,
        type=facts(st.just("RollingUpdate")),
        max_surge=facts(st.one_of(st.integers(1, 3), percentages)),
        max_unavailable=facts(st.one_of(st.integers(0, 3), percentages)),
        progress_deadline_seconds=optional(numbers),
    ),
)


def refs(api_version: str, kind: str) -> st.SearchStrategy[ObjectRef]:
    """References to objects of one kind in some namespace."""
    return st.builds(ObjectRef, st.just(api_version), st.just(kind), names, names)


service_ports = st.builds(
    ServicePort,
    name=st.one_of(st.just(""), names),
    number=st.integers(1, 65535),
    target=port_names,
    protocol=st.sampled_from(["TCP", "UDP"]),
)
services = st.builds(
    Service,
    ref=refs("v1", "Service"),
    selector=optional(some),
    ports=tuples(service_ports),
    labels=maps,
    annotations=maps,
    headless=booleans,
)
bounds = st.one_of(numbers, percentages)
budgets = st.builds(
    DisruptionBudget,
    ref=refs("policy/v1", "PodDisruptionBudget"),
    selector=optional(some),
    max_unavailable=optional(bounds),
    min_available=optional(bounds),
    labels=maps,
)
namespaces = st.builds(
    Namespace,
    ref=names.map(lambda name: ObjectRef("v1", "Namespace", "", name)),
    labels=maps,
)


some_references = st.lists(st.one_of(services, budgets, namespaces), max_size=4, unique_by=lambda made: made.ref)
some_workloads = st.lists(workloads(), max_size=2, unique_by=lambda workload: workload.ref)


@st.composite
def stacks(draw: st.DrawFn) -> Stack:
    """Everything together, in the order that reading gives it."""
    references = draw(some_references)
    made = draw(some_workloads)
    return Stack(
        workloads=tuple(sorted(made, key=lambda workload: workload.ref)),
        references=tuple(sorted(references, key=lambda reference: reference.ref)),
    )
