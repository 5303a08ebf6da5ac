"""What rules of the family ray/ must not say: where a value is not known, or somebody knows better."""

from __future__ import annotations

import pytest

from tests.rules.judging import findings_of

_HEAD = """
  headGroupSpec:
    template:
      spec:
        containers:
          - name: ray-head
            image: rayproject/ray:2.60.0
            resources: {limits: {cpu: 2, memory: 8Gi}}
"""


def rules(text: str) -> list[str]:
    return [finding.rule for finding in findings_of(text) if finding.rule.startswith("ray/")]


def cluster(group: str, spec: str = "", metadata: str = "") -> str:
    return f"""
apiVersion: ray.io/v1
kind: RayCluster
metadata: {{name: one{metadata}}}
spec:
  rayVersion: 2.60.0
{spec}{_HEAD}
  workerGroupSpecs:
    - groupName: workers
      minReplicas: 1
      maxReplicas: 1
      replicas: 1
{group}
"""


def pod(resources: str, extra: str = "", container: str = "") -> str:
    return f"""
      template:
        spec:
          {extra or "restartPolicy: Always"}
          containers:
            - name: ray-worker
              image: rayproject/ray:2.60.0
              {container or "imagePullPolicy: IfNotPresent"}
              resources: {resources}
"""


def service(deployments: str, groups: str, spec: str = "") -> str:
    return f"""
apiVersion: ray.io/v1
kind: RayService
metadata: {{name: chat}}
spec:
  serveConfigV2: |
    applications:
      - name: chat
        import_path: chat:app
        route_prefix: /
        deployments:
{deployments}
  rayClusterConfig:
    rayVersion: 2.60.0
{spec}
    headGroupSpec:
      rayStartParams: {{num-cpus: "0"}}
      template:
        spec:
          containers:
            - name: ray-head
              image: rayproject/ray:2.60.0
              resources: {{limits: {{cpu: 2, memory: 8Gi}}}}
    workerGroupSpecs:
{groups}
"""


def group(resources: str, params: str = "{}", replicas: str = "replicas: 1, minReplicas: 1, maxReplicas: 1") -> str:
    return f"""
      - {{groupName: gpu, {replicas}, rayStartParams: {params}, template: {{spec: {{containers: [
          {{name: ray-worker, image: "rayproject/ray:2.60.0", resources: {resources}}}]}}}}}}
"""


def actor(options: str, replicas: str = "num_replicas: 1") -> str:
    return f"""
          - name: Chat
            {replicas}
            ray_actor_options: {options}
"""


_WITHOUT_GPU = "{limits: {cpu: 2, memory: 8Gi}}"
_ONE_GPU = "{limits: {cpu: 2, memory: 8Gi, nvidia.com/gpu: 1}}"


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(pod(_WITHOUT_GPU, extra="runtimeClassName: nvidia"), id="runtime class"),
        pytest.param(pod(_WITHOUT_GPU, extra="resourceClaims: [{name: gpu}]"), id="claim"),
        pytest.param(
            pod(_WITHOUT_GPU, container="env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]"), id="visible devices"
        ),
        pytest.param(pod("{limits: {cpu: 2, nvidia.com/gpu: '{{ .Values.gpus }}'}}"), id="template"),
    ],
)
def test_gpus_that_may_be_there_are_not_missed(given: str) -> None:
    assert rules(cluster('      rayStartParams: {num-gpus: "1"}' + given)) == []


def test_operator_leaves_an_overwritten_command_alone() -> None:
    text = cluster(
        '      rayStartParams: {num-gpus: "4"}' + pod(_ONE_GPU),
        metadata=', annotations: {ray.io/overwrite-container-cmd: "true"}',
    )
    assert rules(text) == []


def test_replicas_that_the_autoscaler_moves_may_lie_outside_the_bounds() -> None:
    text = cluster("      idleTimeoutSeconds: 60" + pod(_ONE_GPU, extra="restartPolicy: Never"))
    text = text.replace("replicas: 1\n", "replicas: 0\n", 1)
    autoscaled = text.replace(_HEAD, "  enableInTreeAutoscaling: true\n  autoscalerOptions: {version: v2}\n" + _HEAD)
    assert rules(autoscaled) == []


def test_template_in_a_name_is_no_name() -> None:
    text = cluster(pod(_ONE_GPU)).replace("name: one", "name: 'one-${JOB_ID}'")
    assert rules(text) == []


def test_actor_of_which_nothing_is_written_asks_for_nothing() -> None:
    assert rules(service("          - {name: Chat, num_replicas: 1}", group(_WITHOUT_GPU))) == []


def test_amounts_that_are_not_known_are_enough() -> None:
    assert rules(service(actor("{num_cpus: 64}"), group("{limits: {memory: 8Gi}}"))) == []
    assert rules(service(actor("{num_gpus: 8}"), group(_ONE_GPU, '{num-gpus: "$(cat /gpus)"}'))) == []


def test_gpus_that_ray_looks_for_itself_are_not_none() -> None:
    # The operator cannot parse this form of resources, and then passes no num-gpus: Ray finds the GPU by itself.
    params = '{resources: \'"{\\"rack\\": 1}"\'}'
    assert rules(service(actor("{num_gpus: 1}"), group(_ONE_GPU, params))) == []


def test_resource_that_ray_finds_on_the_machine_is_not_missed() -> None:
    options = '{num_cpus: 1, resources: {TPU: 4, "node:10.0.0.7": 0.001}}'
    assert rules(service(actor(options), group("{limits: {cpu: 2, memory: 8Gi, google.com/tpu: 4}}"))) == []


@pytest.mark.parametrize(
    ("pods", "is_told"),
    [
        (group("{limits: {cpu: 2, memory: 8Gi}}"), True),
        (group("{limits: {cpu: 2, memory: 8Gi}}", '{resources: \'"{\\"TPU\\": 4}"\'}'), False),
        (group("{limits: {cpu: 2, memory: 8Gi}}, securityContext: {privileged: true}"), False),
        (group("{limits: {cpu: 2, memory: 8Gi}}, env: [{name: TPU_WORKER_ID, value: '0'}]"), False),
    ],
)
def test_tpus_are_missed_where_no_pod_can_have_any(pods: str, is_told: bool) -> None:
    found = rules(service(actor("{num_cpus: 1, resources: {TPU: 4}}"), pods))
    assert found == (["ray/custom-resource-not-provided"] if is_told else [])


def test_group_without_bound_holds_any_number_of_replicas() -> None:
    unbounded = group(_ONE_GPU, replicas="minReplicas: 0")
    autoscaled = "    enableInTreeAutoscaling: true"
    assert rules(service(actor("{num_gpus: 1}", "num_replicas: 500"), unbounded, autoscaled)) == []


def test_few_workers_without_an_autoscaler_hold_few_replicas() -> None:
    bounded = group(_ONE_GPU, replicas="replicas: 2, minReplicas: 1, maxReplicas: 9")
    assert rules(service(actor("{num_gpus: 1}", "num_replicas: 2"), bounded)) == []
    assert rules(service(actor("{num_gpus: 1}", "num_replicas: 3"), bounded)) == ["ray/bundles-exceed-max-workers"]


def test_deployments_share_the_workers() -> None:
    two = group(_ONE_GPU, replicas="replicas: 2, minReplicas: 2, maxReplicas: 2")
    first, second = actor("{num_gpus: 1}"), actor("{num_gpus: 1}", "num_replicas: 2").replace("Chat", "Embed")
    assert rules(service(first + second, two)) == ["ray/bundles-exceed-max-workers"]
    assert rules(service(first + actor("{num_gpus: 1}").replace("Chat", "Embed"), two)) == []


def test_suspended_group_says_nothing_of_its_size() -> None:
    text = service(actor("{num_gpus: 1}"), group(_ONE_GPU).replace("groupName: gpu", "groupName: gpu, suspend: true"))
    assert rules(text) == []


def test_unread_serve_configuration_is_no_fault() -> None:
    text = service(actor("{num_cpus: 1}"), group(_WITHOUT_GPU))
    head, _, tail = text.partition("  serveConfigV2: |\n")
    rest = tail[tail.index("  rayClusterConfig:") :]
    assert rules(head + "  serveConfigV2: '{{ .Values.serve }}'\n" + rest) == []


def test_upgrade_is_not_judged_without_all_nodes() -> None:
    assert rules(service(actor("{num_gpus: 1}"), group(_ONE_GPU))) == []


def test_one_replica_that_can_never_run_is_a_fault_even_where_serve_may_scale_to_none() -> None:
    scaled = "autoscaling_config: {min_replicas: 0, max_replicas: 1}"
    bundles = actor("{num_cpus: 1}", scaled) + "            placement_group_bundles: [{CPU: 1, GPU: 1}, {GPU: 1}]\n"
    assert rules(service(bundles, group(_ONE_GPU))) == ["ray/bundles-exceed-max-workers"]


@pytest.mark.parametrize(
    "config",
    [
        pytest.param("proxy_location: HeadOnly\n    http_options: {port: 8000}", id="proxies on the head alone"),
        pytest.param("http_options: {port: '{{ .Values.port }}'}", id="template"),
    ],
)
def test_port_that_is_not_asked_or_not_known_is_not_compared(config: str) -> None:
    text = service(actor("{num_cpus: 1}"), group(_WITHOUT_GPU))
    assert rules(text.replace("    applications:", f"    {config}\n    applications:")) == []


def test_service_of_the_users_own_needs_no_named_port() -> None:
    text = service(actor("{num_cpus: 1}"), group(_WITHOUT_GPU)).replace(
        "          - name: ray-head\n",
        "          - name: ray-head\n              ports: [{containerPort: 8265, name: dashboard}]\n",
    )
    assert rules(text) == ["ray/serve-port-not-named"]
    assert rules(text.replace("  serveConfigV2", "  serveService: {spec: {type: NodePort}}\n  serveConfigV2")) == []


def llm_service(version: str, scaling: str) -> str:
    return f"""
apiVersion: ray.io/v1
kind: RayService
metadata: {{name: chat}}
spec:
  serveConfigV2: |
    applications:
      - name: chat
        import_path: ray.serve.llm:build_openai_app
        args:
          llm_configs:
            - model_loading_config: {{model_id: chat, model_source: Qwen/Qwen2.5-7B-Instruct}}
              deployment_config: {{autoscaling_config: {scaling}}}
  rayClusterConfig:
    rayVersion: {version}
    headGroupSpec:
      rayStartParams: {{num-cpus: "0"}}
      template:
        spec:
          containers:
            - name: ray-head
              image: rayproject/ray-llm:{version}-py311-cu124
              resources: {{limits: {{cpu: 2, memory: 8Gi}}}}
    workerGroupSpecs:
      - groupName: gpu
        replicas: 4
        minReplicas: 4
        maxReplicas: 4
        template:
          spec:
            containers:
              - name: ray-worker
                image: rayproject/ray-llm:{version}-py311-cu124
                resources: {{limits: {{cpu: 8, memory: 32Gi, nvidia.com/gpu: 1}}}}
"""


def test_defaults_of_serve_llm_are_those_of_the_release() -> None:
    # Before 2.49 Serve LLM's own default was 10 replicas and a target of 10.
    assert rules(llm_service("2.46.0", "{min_replicas: 2}")) == []
    assert rules(llm_service("2.52.0", "{min_replicas: 2}")) == ["ray/serve-min-exceeds-max"]
    assert rules(llm_service("2.46.0", "{min_replicas: 1, max_replicas: 4}")) == []
    assert rules(llm_service("2.52.0", "{min_replicas: 1, max_replicas: 4}")) == [
        "ray/serve-autoscaling-never-triggers"
    ]


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param(
            """
            apiVersion: ray.io/v1
            kind: RayCluster
            metadata: {name: one}
            spec:
              enableInTreeAutoscaling: true
              workerGroupSpecs:
                - groupName: gpu
                  minReplicas: 0
                  maxReplicas: 8
                  idleTimeoutSeconds: 600
            """,
            id="bounds of a group",
        ),
        pytest.param(
            """
            apiVersion: ray.io/v1
            kind: RayCluster
            metadata: {name: one}
            spec:
              autoscalerOptions: {idleTimeoutSeconds: 300}
            """,
            id="options of the autoscaler",
        ),
        pytest.param(
            """
            apiVersion: ray.io/v1
            kind: RayJob
            metadata: {name: one}
            spec:
              ttlSecondsAfterFinished: 600
            """,
            id="life of a job",
        ),
        pytest.param(
            """
            apiVersion: ray.io/v1
            kind: RayService
            metadata: {name: one}
            spec:
              serveConfigV2: |
                applications:
                  - name: chat
                    import_path: chat:app
                    deployments:
                      - {name: Chat, num_replicas: 2, ray_actor_options: {num_gpus: 4}}
              rayClusterConfig:
                headGroupSpec:
                  template:
                    spec:
                      containers:
                        - name: ray-head
                          ports: [{containerPort: 8265, name: dashboard}]
            """,
            id="serve configuration",
        ),
    ],
)
def test_patch_says_only_a_part(patch: str) -> None:
    assert rules(patch) == []
