"""A folder as people have it: manifests are read, everything else is listed with what to do, and nothing crashes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from controlplane.cli.lint.file_reading import LARGEST_FILE_BYTES, FileReading, read_file
from controlplane.stack.read import reads

DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\n"


def reading(text: str | bytes, name: str = "x.yaml") -> FileReading:
    return read_file(name, text.encode() if isinstance(text, str) else text, reads)


def outcome(text: str | bytes, name: str = "x.yaml") -> tuple[int, list[str], list[str]]:
    """How many manifests, which findings, and why what was not judged."""
    found = reading(text, name)
    return len(found.manifests), [f.rule for f in found.findings], [n.reason for n in found.not_judged]


RENDER = "an unrendered template: render it first (for a Helm chart: `helm template`) and lint the output"
SUBSTITUTE = "unrendered variables: substitute them first (for `${NAME}`: envsubst) and lint the output"


@pytest.mark.parametrize(
    "text",
    [
        DEPLOYMENT + "spec:\n  {{- if .Values.autoscaling }}\n  replicas: 1\n  {{- end }}\n",
        DEPLOYMENT + "spec:\n  template:\n    {{ toYaml .Values.template | nindent 4 }}\n",
        "{{- range .Values.models }}\n" + DEPLOYMENT + "{{- end }}\n",
        "{% for m in models %}\n" + DEPLOYMENT + "{% endfor %}\n",
        DEPLOYMENT + "spec:\n  replicas: {{ .Values.replicas }}\n",
        "apiVersion: {{ .Values.api }}\nkind: Deployment\n",
    ],
    ids=["if", "toYaml", "range", "jinja", "value", "apiVersion"],
)
def test_template_where_structure_should_be_is_listed_and_not_judged(text: str) -> None:
    assert outcome(text) == (0, [], [RENDER])


def test_template_inside_a_value_leaves_the_rest_to_be_judged() -> None:
    text = DEPLOYMENT + 'spec:\n  template:\n    spec:\n      containers:\n      - image: "{{ .Values.image }}"\n'
    assert outcome(text) == (1, [], [])


def test_chat_template_in_a_block_of_text_is_no_template_of_the_manifest() -> None:
    template = "    {% for m in messages %}\n    {{ m }}\n    {% endfor %}\n"
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: t}}\ndata:\n  t.jinja: |\n{template}"
    assert outcome(text) == (1, [], [])


def test_manifest_beside_a_template_in_the_same_file_is_judged() -> None:
    text = DEPLOYMENT + '---\napiVersion: v1\nkind: Service\n{{ include "labels" . }}\n'
    assert outcome(text) == (1, [], [RENDER])


def test_variable_alone_on_a_line_is_to_be_substituted() -> None:
    assert outcome(DEPLOYMENT + "${EXTRA}\nspec: {}\n") == (0, [], [SUBSTITUTE])
    assert outcome(DEPLOYMENT + "spec:\n  replicas: ${REPLICAS}\n") == (1, [], [])


@pytest.mark.parametrize(
    "patch", ["$patch: delete\n", "spec:\n  template:\n    spec:\n      containers:\n      - $patch: replace\n"]
)
def test_patch_that_says_so_is_listed_wherever_it_lies(patch: str) -> None:
    assert outcome(DEPLOYMENT + patch) == (0, [], ["a strategic merge patch: lint the output of `kustomize build`"])
    assert outcome(DEPLOYMENT + "spec: {template: {metadata: {annotations: {x: '$patch: delete'}}}}\n")[0] == 1


def test_name_in_braces_is_to_be_substituted() -> None:
    assert outcome(DEPLOYMENT + "spec:\n  image: {username}/server:latest\n") == (0, [], [SUBSTITUTE])


def test_file_modes_as_everyone_writes_them_are_not_worth_a_word() -> None:
    assert outcome(DEPLOYMENT + "spec:\n  defaultMode: 0644\n") == (1, [], [])
    assert outcome(DEPLOYMENT + "spec:\n  hostNetwork: yes\n")[1] == ["yaml/ambiguous-scalar"]


def test_fault_of_syntax_in_a_manifest_is_a_finding() -> None:
    assert outcome(DEPLOYMENT + "spec: [\n") == (0, ["yaml/syntax"], [])
    assert outcome(DEPLOYMENT + "\tspec: 1\n")[1] == ["yaml/tab-indentation"]


def test_fault_of_syntax_in_anything_else_is_none_of_ours() -> None:
    count, findings, reasons = outcome("a: [\nb: }\n")
    assert (count, findings) == (0, [])
    assert reasons[0].startswith("no Kubernetes manifest") or reasons[0].startswith("not read as YAML")


def test_duplicate_keys_of_what_is_no_manifest_are_not_told() -> None:
    assert outcome("a: 1\na: 2\n---\n" + DEPLOYMENT)[:2] == (1, [])
    assert outcome(DEPLOYMENT + "kind: Deployment\n")[:2] == (1, ["yaml/duplicate-key"])


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("docker-compose.yml", "services: {a: {image: x}}\n", "a Compose file"),
        (".github/workflows/ci.yaml", "on: push\njobs: {}\n", "a workflow of a code forge"),
        ("chart/values.yaml", "replicas: 1\n", "values of a chart"),
        ("chart/values-prod.yaml", "replicas: 1\n", "values of a chart"),
        ("chart/Chart.yaml", "apiVersion: v2\nname: x\n", "describes a Helm chart"),
        ("kustomization.yaml", "resources: [a.yaml]\n", "a kustomization"),
        ("x.yaml", "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", "a kustomization"),
        ("x.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\n", "points at manifests"),
        ("x.yaml", "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n", "installs a chart"),
        ("patch.yaml", "- op: replace\n  path: /spec/replicas\n  value: 3\n", "no Kubernetes manifest"),
        (
            "x.yaml",
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n",
            "no rule looks at a Cust",
        ),
        ("package.json", '{"name": "x"}', "no Kubernetes manifest"),
        ("x.yaml", "just a text\n", "no Kubernetes manifest"),
    ],
)
def test_what_is_no_manifest_is_listed_with_what_to_do(name: str, text: str, reason: str) -> None:
    count, findings, reasons = outcome(text, name)
    assert (count, findings, len(reasons)) == (0, [], 1)
    assert reasons[0].startswith(reason)


@pytest.mark.parametrize("text", ["", "\n# nothing\n", "---\n---\n...\n", "\ufeff"])
def test_empty_documents_are_not_worth_a_word(text: str) -> None:
    assert outcome(text) == (0, [], [])


def test_json_is_read_as_the_yaml_that_it_is() -> None:
    assert outcome('{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"}}', "x.json")[0] == 1


def test_places_do_not_move_when_other_documents_are_skipped() -> None:
    skipped = "apiVersion: v1\nkind: Role\nrules:\n- a\n---\n# x\n"
    [manifest] = reading(skipped + DEPLOYMENT).manifests
    assert (manifest.span.line, manifest.span_of(("metadata", "name")).line) == (7, 9)
    assert manifest.span_of(("metadata", "name")).column == 18


def test_policies_and_manifests_of_one_file_are_read_in_their_own_dialects() -> None:
    found = reading("apiVersion: controlplane.dev/v1alpha1\nkind: Fleet\nx: yes\n---\n" + DEPLOYMENT + "z: yes\n")
    assert [d.value["x"] for d in found.policies if isinstance(d.value, dict)] == ["yes"]
    assert [d.value["z"] for d in found.manifests if isinstance(d.value, dict)] == [True]


def test_file_that_is_too_large_or_no_text_is_listed() -> None:
    assert outcome(b"a" * (LARGEST_FILE_BYTES + 1))[2] == ["larger than 20 MiB, which is the most that lint reads"]
    assert outcome(b"\xff\xfe\x00\x01")[1:] == ([], ["not text in UTF-8"])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1"])
def test_manifest_in_another_encoding_is_a_finding(encoding: str) -> None:
    _, findings, _ = outcome((DEPLOYMENT + "# äöü\n").encode(encoding))
    assert findings in (["yaml/not-utf8"], ["yaml/nul-byte"])


@hypothesis_settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=200) | st.text(max_size=200).map(lambda text: (DEPLOYMENT + text).encode("utf-8", "ignore"))
)
def test_no_bytes_make_it_fall(data: bytes) -> None:
    found = reading(data)
    assert found.findings == tuple(sorted(found.findings))
