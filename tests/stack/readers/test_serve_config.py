from __future__ import annotations

import pytest

from controlplane.stack.facts import ABSENT, Derived, Known, Unknown, Why, value_of
from controlplane.stack.model import Workload
from controlplane.stack.pods import CountOwner
from controlplane.stack.serve import Serve, ServeDeployment
from tests.stack.manifests import read_text, workload
from tests.stack.places import written, written_at

SERVICE = """\
apiVersion: ray.io/v1
kind: RayService
metadata: {{name: chat}}
spec:
  serveConfigV2: {}
  rayClusterConfig:
    headGroupSpec: {{template: {{spec: {{containers: [{{name: head, image: x}}]}}}}}}
"""

CONFIG = """\
proxy_location: HeadOnly
http_options: {port: 8001}
applications:
- name: fruit
  import_path: fruit.deployment_graph
  route_prefix: /fruit
  runtime_env: {pip: [a]}
  deployments:
  - name: Mango
    num_replicas: 2
    max_ongoing_requests: 10
    max_queued_requests: 20
    max_replicas_per_node: 3
    graceful_shutdown_timeout_s: 30.5
    health_check_period_s: 11
    health_check_timeout_s: 12
    ray_actor_options:
      num_cpus: 0.5
      num_gpus: "1"
      memory: 1000
      resources: {special: 2}
      accelerator_type: L4
    user_config: {price: 3}
  - name: Pear
    autoscaling_config:
      min_replicas: 1
      initial_replicas: 2
      max_replicas: 4
      target_ongoing_requests: 2.5
    placement_group_bundles: [{CPU: 1, GPU: 1}, {GPU: 0.5}]
    placement_group_strategy: STRICT_PACK
  - name: Plum
    num_replicas: auto
  - name: Fig
"""


def service(config: str) -> str:
    """A RayService with a configuration in a literal block."""
    return SERVICE.format("|\n    " + config.replace("\n", "\n    "))


def serve(text: str) -> Serve:
    found = workload(text).serve
    assert found is not None
    return found


def deployments(config: str = CONFIG) -> dict[str, ServeDeployment]:
    return {str(value_of(one.name)): one for one in serve(service(config)).deployments}


def test_applications_stand_where_the_file_has_them() -> None:
    text = service(CONFIG)
    found = serve(text)
    (application,) = found.applications
    assert (application.name, application.has_runtime_env, found.complete) == ("fruit", True, True)
    facts = {
        "HeadOnly": found.proxy_location,
        "8001": found.http_port,
        "fruit.deployment_graph": application.import_path,
        "/fruit": application.route_prefix,
    }
    for expected, fact in facts.items():
        assert str(value_of(fact)) == written(text, fact) == expected
    assert written_at(text, application.origin) == "fruit"
    assert written_at(text, found.origin) == "serveConfigV2"
    assert application.import_path == Known("fruit.deployment_graph", Derived(""))


def test_paths_go_on_behind_the_text() -> None:
    found = serve(service(CONFIG)).applications[0].import_path
    assert isinstance(found, Known)
    assert getattr(found.origin, "path", ()) == ("spec", "serveConfigV2", "applications", 0, "import_path")


def test_a_deployment_has_every_option_at_its_place() -> None:
    text = service(CONFIG)
    mango = deployments()["Mango"]
    facts = {
        "2": mango.replicas.desired,
        "10": mango.max_ongoing_requests,
        "20": mango.max_queued_requests,
        "3": mango.max_replicas_per_node,
        "30.5": mango.graceful_shutdown_timeout_s,
        "11": mango.health_check_period_s,
        "12": mango.health_check_timeout_s,
        "0.5": mango.actor.cpu,
        '"1"': mango.actor.gpu,
        "1000": mango.actor.memory_bytes,
        "L4": mango.accelerator_type,
    }
    for expected, fact in facts.items():
        assert written(text, fact) == expected
    assert value_of(mango.actor.gpu) == 1.0
    assert value_of(mango.actor.custom["special"]) == 2.0
    assert (mango.replicas.owner, mango.autoscaled, mango.engine, mango.is_llm) == (
        CountOwner.DECLARED, False, "", False,
    )  # fmt: skip
    assert mango.num_replicas == Known(2, Derived(""))
    assert written_at(text, mango.origin) == "Mango"


def test_serve_owns_the_replicas_of_an_autoscaled_deployment() -> None:
    found = deployments()
    pear, plum = found["Pear"], found["Plum"]
    assert [value_of(fact) for fact in (pear.replicas.min, pear.replicas.desired, pear.replicas.max)] == [1, 2, 4]
    assert (pear.replicas.owner, pear.autoscaled, pear.num_replicas) == (CountOwner.SERVE, True, ABSENT)
    assert value_of(pear.target_ongoing_requests) == 2.5
    assert [value_of(fact) for fact in (plum.replicas.min, plum.replicas.desired, plum.replicas.max)] == [
        1,
        None,
        100,
    ]
    assert isinstance(plum.replicas.max, Known)
    assert isinstance(plum.replicas.max.origin, Derived)


def test_a_number_beside_an_autoscaling_config_is_kept() -> None:
    config = "applications: [{deployments: [{name: a, num_replicas: 3, autoscaling_config: {max_replicas: 5}}]}]"
    found = deployments(config)["a"]
    assert (value_of(found.num_replicas), value_of(found.replicas.max)) == (3, 5)


def test_what_the_code_says_is_unknown() -> None:
    fig = deployments()["Fig"]
    assert fig.replicas.desired == Unknown(Why.UNRESOLVED)
    assert fig.max_ongoing_requests == ABSENT
    assert fig.placement_group is None


def test_bundles_are_in_their_order() -> None:
    text = service(CONFIG)
    group = deployments()["Pear"].placement_group
    assert group is not None
    bundles = value_of(group.bundles)
    assert bundles is not None
    assert [{name: value_of(amount) for name, amount in one.resources.items()} for one in bundles] == [
        {"CPU": 1.0, "GPU": 1.0},
        {"GPU": 0.5},
    ]
    assert written(text, group.strategy) == "STRICT_PACK"
    assert written_at(text, bundles[1].origin) == "{GPU: 0.5}"
    assert (group.written, written_at(text, group.origin)) == (True, "placement_group_bundles")


def test_every_key_of_a_deployment_has_its_place() -> None:
    text = service(CONFIG)
    options = deployments()["Mango"].options
    assert written_at(text, options["ray_actor_options.resources.special"]) == "special"
    assert written_at(text, options["user_config.price"]) == "price"
    assert written_at(text, options["num_replicas"]) == "num_replicas"


@pytest.mark.parametrize(
    "written_config",
    [
        '"applications:\\n- name: llm\\n  import_path: a.b\\n"',
        ">\n    applications: [{name: llm,\n    import_path: a.b}]",
        '\'{"applications": [{"name": "llm", "import_path": "a.b"}]}\'',
    ],
)
def test_every_kind_of_text_is_read_in_its_place(written_config: str) -> None:
    text = SERVICE.format(written_config)
    (application,) = serve(text).applications
    assert application.name == "llm"
    assert written(text, application.import_path).strip('"') == "a.b"


def test_a_map_in_the_texts_place_is_a_finding_and_read_all_the_same() -> None:
    reading = read_text(SERVICE.format("\n    applications: [{name: llm, import_path: a.b}]"))
    (finding,) = reading.diagnostics
    assert (finding.rule, finding.span.line) == ("kubernetes/field-type", 6)
    assert finding.message == "spec.serveConfigV2 takes a text with YAML in it, not a map"
    found = reading.stack.workloads[0].serve
    assert found is not None
    assert found.applications[0].name == "llm"


@pytest.mark.parametrize("config", ["7", "[a]", "true"])
def test_any_other_kind_is_a_finding_and_nothing_is_known(config: str) -> None:
    reading = read_text(SERVICE.format(config))
    assert [finding.rule for finding in reading.diagnostics] == ["kubernetes/field-type"]
    assert reading.stack.workloads[0].serve == Serve(complete=False)


def test_what_is_wrong_with_the_yaml_is_told_where_it_stands() -> None:
    reading = read_text(service("applications:\n- name: a\n  name: b\n- [\n"))
    assert [(finding.rule, finding.span.line) for finding in reading.diagnostics] == [
        ("yaml/duplicate-key", 8),
        ("yaml/syntax", 10),
    ]
    assert reading.diagnostics[0].path[:3] == ("spec", "serveConfigV2", "applications")
    assert reading.stack.workloads[0].serve == Serve(complete=False)


def test_a_value_of_the_wrong_kind_is_serves_to_refuse() -> None:
    (finding,) = read_text(
        service("applications: [{deployments: [{name: a, max_ongoing_requests: many}]}]")
    ).diagnostics
    assert (finding.rule, finding.layer.value) == ("serve/field-type", "serve")
    assert finding.message.endswith("max_ongoing_requests takes a whole number, not a text")


@pytest.mark.parametrize(
    ("option", "is_refused"),
    [
        ('num_replicas: "2"', True),
        ('max_queued_requests: "2"', True),
        ('max_ongoing_requests: "2"', False),
        ("max_ongoing_requests: true", False),
        ("max_ongoing_requests: 2.0", False),
        ("max_ongoing_requests: 2.5", True),
        ("health_check_period_s: ' 1e2 '", False),
        ("health_check_period_s: 10s", True),
        ("ray_actor_options: {num_gpus: '1'}", False),
        ("ray_actor_options: {accelerator_type: 7}", True),
        ("autoscaling_config: {min_replicas: '1'}", False),
    ],
)
def test_numbers_in_quotes_are_refused_where_serve_refuses_them(option: str, is_refused: bool) -> None:
    # Asked of DeploymentSchema, Ray 2.60.
    found = read_text(service(f"applications: [{{name: a, deployments: [{{name: b, {option}}}]}}]")).diagnostics
    assert [finding.rule for finding in found] == ["serve/field-type"] * is_refused


def test_templates_are_unknown_and_no_finding() -> None:
    reading = read_text(
        service("applications:\n- name: a\n  deployments: [{name: b, num_replicas: '{{ .Values.n }}'}]")
    )
    assert reading.diagnostics == ()
    unrendered = read_text(service("applications:\n{{- range .Values.apps }}\n- name: {{ .name }}\n{{- end }}"))
    assert unrendered.diagnostics == ()
    assert unrendered.stack.workloads[0].serve == Serve(complete=False)


def test_a_service_without_a_configuration_has_no_serve() -> None:
    found: Workload = workload(SERVICE.format("null"))
    assert found.serve is None


def test_a_text_that_an_alias_brings_in_has_the_place_of_the_use() -> None:
    text = "x: &c |\n  applications: [{name: a, import_path: b.c}]\n" + SERVICE.format("*c")
    (application,) = serve(text).applications
    assert written(text, application.import_path) == "*c"


def test_a_text_repeated_without_end_is_read_only_so_far() -> None:
    config = "applications: [{import_path: a.b, name: " + "a" * 100_000 + "}]"
    item = "{apiVersion: ray.io/v1, kind: RayService, metadata: {name: a}, spec: {serveConfigV2: *c}}"
    text = f"apiVersion: v1\nkind: List\nx: &c '{config}'\nitems:\n" + f"- {item}\n" * 300
    found = [one.serve for one in read_text(text).stack.workloads if one.serve]
    assert 200 <= sum(one.complete for one in found) < 220
