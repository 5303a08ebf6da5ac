"""What lint is fed with: one function for each surface, each of a chance and the manifests to begin from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import yaml

from controlplane.stack.vllm_tables import Argument, load_table
from tests.soak import values

VERSIONS = ("0.8.5", "0.10.2", "0.14.0", "0.20.0", "0.33.0")


@dataclass(frozen=True, slots=True)
class Corpus:
    """The texts to begin from, and the values that a plain reader makes of them."""

    texts: list[str]
    trees: list[list[Any]]


@dataclass(frozen=True, slots=True)
class Input:
    """Files by name, and what else the run is given. `hidden` are texts that nothing may show."""

    files: Mapping[str, bytes]
    baseline: str = ""
    hidden: tuple[str, ...] = field(default=())


Surface = Callable[[Random, Corpus], Input]


def random_bytes(chance: Random, corpus: Corpus) -> Input:
    """Bytes that are no text, alone or in the middle of a manifest."""
    data = bytearray(chance.choice(corpus.texts).encode(errors="surrogatepass"))
    for _ in range(chance.choice((1, 3, 30))):
        at = chance.randrange(len(data) + 1)
        data[at : at + chance.choice((0, 0, 1, 8))] = chance.randbytes(chance.choice((1, 1, 2, 5, 50)))
    return Input({"a.yaml": bytes(data)})


def scrambled(chance: Random, corpus: Corpus) -> Input:
    """Real manifests with lines and characters changed, sometimes several in one file."""
    found = [values.scrambled(chance, chance.choice(corpus.texts)) for _ in range(chance.choice((1, 1, 1, 3)))]
    return _of_text("---\n".join(found))


def trees(chance: Random, corpus: Corpus) -> Input:
    """Real objects with other values in them, written in another style."""
    found = [d for _ in range(chance.choice((1, 1, 1, 2, 4))) for d in chance.choice(corpus.trees)]
    text = values.written(chance, values.changed(chance, found))
    return _of_text(values.scrambled(chance, text) if chance.random() < 0.1 else text)


def as_json(chance: Random, corpus: Corpus) -> Input:
    """The same as JSON, on one line or several."""
    documents = values.changed(chance, chance.choice(corpus.trees))
    text = json.dumps(
        documents[0] if documents else None, indent=chance.choice((None, 2)), default=str, skipkeys=True
    )
    return Input({"a.json": text.encode(errors="surrogatepass")})


def anchors(chance: Random, corpus: Corpus) -> Input:
    """Aliases and merge keys in the place of values."""
    lines = chance.choice(corpus.texts).splitlines() or [""]
    names = [f"n{index}" for index in range(chance.choice((1, 2, 5)))]
    for name in names:
        line = chance.randrange(len(lines))
        head, colon, rest = lines[line].partition(": ")
        lines[line] = f"{head}{colon}&{name} {rest}" if colon else lines[line] + f" &{name}"
    for _ in range(chance.choice((1, 3, 9))):
        line, name = chance.randrange(len(lines)), chance.choice(names)
        head, colon, _rest = lines[line].partition(": ")
        indent = " " * (len(lines[line]) - len(lines[line].lstrip()))
        if chance.random() < 0.6 and colon:
            lines[line] = f"{head}: *{name}"
        else:
            lines.insert(line, f"{indent}<<: {chance.choice((f'*{name}', f'[*{name}, *{name}]'))}")
    return _of_text("\n".join(lines) + "\n")


def command_line(chance: Random, corpus: Corpus) -> Input:
    """An engine whose words are flags of a release with values right and wrong."""
    return _of_tree([_engine(chance, _words(chance))], chance)


def script(chance: Random, corpus: Corpus) -> Input:
    """A shell's script that starts an engine, quoted and nested in every way."""
    words = [_quoted(chance, word) for word in _words(chance)]
    joint = chance.choice((" ", " ", " \\\n  ", "\n", " \\\n\n"))
    text = joint.join(["exec", "vllm", "serve", "org/model", *words])
    for _ in range(chance.choice((0, 1, 2))):
        text = chance.choice(_AROUND).replace("%", text)
    if chance.random() < 0.3:
        text = values.scrambled(chance, text)
    command = chance.choice((["bash", "-c"], ["/bin/sh", "-ec"], ["bash", "-lc", "--"], ["sh", "-c", "x", "y"]))
    pod = _engine(chance, [])
    container = pod["spec"]["template"]["spec"]["containers"][0]
    container["command"] = command
    container["args"] = [text, *chance.choice(([], ["a"], _words(chance)))]
    return _of_tree([pod], chance)


def serve_config(chance: Random, corpus: Corpus) -> Input:
    """A RayService whose serveConfigV2 is YAML of every kind inside YAML of every style."""
    services = [d for ds in corpus.trees for d in ds if _serve_of(d)]
    service = json.loads(json.dumps(chance.choice(services), default=str))
    inner = yaml.load(_serve_of(service), yaml.CSafeLoader)
    text = values.written(chance, values.changed(chance, [inner]))
    kind = chance.random()
    if kind < 0.3:
        text = values.scrambled(chance, text)
    elif kind < 0.5:
        text = anchors(chance, Corpus([text], [])).files["a.yaml"].decode(errors="surrogatepass")
    service["spec"]["serveConfigV2"] = text
    return _of_tree([service], chance)


def config_file(chance: Random, corpus: Corpus) -> Input:
    """An engine that reads its arguments from a ConfigMap, which is anything."""
    table = _table(chance)
    entries = {a.flag.lstrip("-"): _value(chance, a) for a in chance.sample(list(table), 6)}
    text = values.written(chance, [entries]) if chance.random() < 0.8 else chance.choice(values.WORDS)
    text = values.scrambled(chance, text) if chance.random() < 0.3 else text
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"c.yaml": text}}
    pod = _engine(chance, ["--config", chance.choice(("/etc/c/c.yaml", "/etc/c", "c.yaml"))])
    spec = pod["spec"]["template"]["spec"]
    spec["containers"][0]["volumeMounts"] = [{"name": "c", "mountPath": "/etc/c"}]
    spec["volumes"] = [{"name": "c", "configMap": {"name": "c"}}]
    found = [config, pod]
    return _of_tree(values.changed(chance, found) if chance.random() < 0.3 else found, chance)


def comments(chance: Random, corpus: Corpus) -> Input:
    """Suppressions, right and wrong, anywhere."""
    lines = chance.choice(corpus.texts).splitlines() or [""]
    for _ in range(chance.choice((1, 2, 5))):
        comment = (
            values.scrambled(chance, chance.choice(_COMMENTS)) if chance.random() < 0.5 else chance.choice(_COMMENTS)
        )
        line = chance.randrange(len(lines))
        lines[line : line + 1] = chance.choice(([f"{lines[line]}  {comment}"], [comment, lines[line]]))
    return _of_text("\n".join(lines))


def surroundings(chance: Random, corpus: Corpus) -> Input:
    """A folder with a kustomization, ignore files, a chart, and a baseline, each of them broken sometimes."""
    files: dict[str, str] = {f"{n}/a{i}.yaml": chance.choice(corpus.texts) for n in ("x", "y") for i in range(2)}
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": ["x/a0.yaml", "../y"],
        "patches": [{"path": "y/a1.yaml"}],
        "configMapGenerator": [{"name": "c", "files": ["k=x/a1.yaml"]}],
    }
    files["kustomization.yaml"] = values.written(chance, values.changed(chance, [kustomization]))
    files[".gitignore"] = values.scrambled(chance, "*.tmp\n!keep\n/x/**\n[a-z]?.yaml\n**/y/*\n\\#a\n")
    files["Chart.yaml"] = "name: a\n"
    files["controlplane.toml"] = chance.choice(("", "", "[lint]\nselect = []\n", '[lint]\nexclude = ["x/"]\n'))
    entry = {"file": "x/a0.yaml", "rule": "vllm/x", "object": "a", "path": "b", "fingerprint": "00"}
    baseline = {"format_version": "1.0", "findings": [entry, entry]}
    changed = values.changed(chance, [baseline])
    text = json.dumps(changed[0] if changed else None, default=str, skipkeys=True)
    return Input({name: text.encode(errors="surrogatepass") for name, text in files.items()}, baseline=text)


def policies(chance: Random, corpus: Corpus) -> Input:
    """Policies of ours, Guardrails among them, beside a manifest."""
    documents = [yaml.load(text, yaml.CSafeLoader) for text in _POLICIES]
    text = values.written(chance, values.changed(chance, documents))
    return _of_text(text + "---\n" + chance.choice(corpus.texts))


def hidden(chance: Random, corpus: Corpus) -> Input:
    """Secrets in every place where they stand, in objects that are otherwise anything."""
    secret = "".join(chance.choice("abcdefghkmnpqrstuvwxyzABCDEFGH23456789") for _ in range(20))
    secret = chance.choice(("", "", "hf_", "sk-", "p+/=")) + secret
    pod = _engine(chance, [*_words(chance), *chance.choice((["--api-key", secret], [f"--api-key={secret}"]))])
    container = pod["spec"]["template"]["spec"]["containers"][0]
    container["env"] = [
        {"name": chance.choice(("HF_TOKEN", "OPENAI_API_KEY", "VLLM_API_KEY", "DB_PASSWORD")), "value": secret},
        {"name": "VLLM_LOGGING_LEVEL", "value": "nonsense"},
        *chance.choice(([], [{"name": "HF_TOKEN", "value": secret}])),
    ]
    stored = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"token": secret}}
    inner = {"applications": [{
        "name": "a", "import_path": "ray.serve.llm:build_openai_app", "route_prefix": "/", "extra": 1,
        "runtime_env": {"env_vars": {"HF_TOKEN": secret, "VLLM_NONSENSE": 1}},
        "args": {"llm_configs": [{"model_loading_config": {"model_id": "a"},
        "engine_kwargs": {"api_key": secret, "x": 1},
                                  "runtime_env": {"env_vars": {"OPENAI_API_KEY": secret}}}]},
    }]}  # fmt: skip
    ray = {
        "apiVersion": "ray.io/v1", "kind": "RayService", "metadata": {"name": "r"},
        "spec": {"serveConfigV2": yaml.dump(inner, default_flow_style=chance.random() < 0.3),
                 "rayClusterConfig": {"rayVersion": "2.52.0", "workerGroupSpecs": [{"groupName": "g",
                 "replicas": 3}]}},
    }  # fmt: skip
    return Input(_of_tree([pod, stored, ray], chance).files, hidden=(secret,))


SURFACES: Mapping[str, Surface] = {
    "bytes": random_bytes,
    "text": scrambled,
    "trees": trees,
    "json": as_json,
    "anchors": anchors,
    "command lines": command_line,
    "scripts": script,
    "serveConfigV2": serve_config,
    "config files": config_file,
    "comments": comments,
    "surroundings": surroundings,
    "policies": policies,
    "secrets": hidden,
}

_AROUND = (
    "bash -c '%'", 'bash -c "%"', "if true; then\n%\nelse\n  vllm serve b\nfi",
    "cat <<EOF > /tmp/x\n%\nEOF\nvllm serve a",
    "A=1 B=$C %", "(% )", "{ %; }", "$(%)", "`%`", "for i in 1 2; do %; done", "% | tee log",
    "% && echo done", "set -e\n%",
    "timeout 5 %", "env X=y nohup % &\nwait", "python3 -c 'x' ; %", "# comment '\n%",
    "case $X in a) %;; esac", "eval \"%\"",
    "f() {\n%\n}\nf", "while :; do %; done", "exec \\\n%", "true || %", "bash <<'E'\n%\nE", "ray start --head; %",
)  # fmt: skip
_COMMENTS = (
    "# controlplane: ignore[vllm/argument-removed] our fork has it",
    "# controlplane: ignore[vllm/, ray/, kubernetes/] until 2027-01-31: being renamed",
    "# controlplane: ignore[vllm/x, cross/] until 2020-01-31: late",
    "# controlplane: ignore-file[kubernetes/, cross/, vllm/] all of it",
    "# controlplane: ignore[] nothing", "# controlplane: ignore[*] x", "# controlplane: ignore", "# controlplane:",
    "#controlplane:ignore[a/b]", "# controlplane: ignore[vllm/] until 9999-99-99: never",
)  # fmt: skip
_POLICIES = (
    """
    apiVersion: controlplane.dev/v1alpha1
    kind: Guardrail
    metadata: {name: house}
    spec:
      rules:
        - {id: a, over: engine, require: engine.tensor_parallel <= 8,
        message: "{engine.role} has {engine.tensor_parallel}"}
        - {id: b, over: container, when: 'workload.kind != "Job"', require: 'container.registry == "x"', message: m}
      exceptions:
        - {rule: b, subject: "llm/*", reason: r, owner: o, expires: "2027-01-31"}
      tests:
        - {name: t, expect: [a], given: "apiVersion: v1\\nkind: Service\\n"}
    """,
    """
    apiVersion: controlplane.dev/v1alpha1
    kind: Fleet
    metadata: {name: fleet}
    spec:
      versions: {kubernetes: "1.34", vllm: 0.33.0}
      pools:
        - {name: h100, nodes: 4, accelerator: {product: NVIDIA-H100-80GB-HBM3, count: 8}, cpu: 96, memory: 1Ti}
    """,
)


def _of_text(text: str) -> Input:
    return Input({"a.yaml": text.encode(errors="surrogatepass")})


def _of_tree(documents: list[Any], chance: Random) -> Input:
    return _of_text(values.written(chance, documents))


def _serve_of(document: Any) -> str:
    spec = document.get("spec")
    text = spec.get("serveConfigV2") if isinstance(spec, dict) else None
    return text if isinstance(text, str) and isinstance(_loaded(text), dict) else ""


def _loaded(text: str) -> Any:
    try:
        return yaml.load(text, yaml.CSafeLoader)
    except yaml.YAMLError:
        return None


def _engine(chance: Random, words: list[Any]) -> dict[str, Any]:
    container = {
        "name": "vllm",
        "image": f"vllm/vllm-openai:v{chance.choice(VERSIONS)}",
        "args": words,
        "resources": {"limits": {"nvidia.com/gpu": chance.choice((1, 2, 8)), "memory": "64Gi", "cpu": 8}},
    }
    return {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "llm"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "a"}},
                 "template": {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [container]}}},
    }  # fmt: skip


def _table(chance: Random) -> tuple[Argument, ...]:
    table = load_table(chance.choice(VERSIONS))
    assert table is not None
    return tuple(table.arguments.values())


def _words(chance: Random) -> list[str]:
    found: list[str] = [] if chance.random() < 0.3 else ["--model", "org/model"]
    for argument in chance.sample(_table(chance), chance.choice((1, 3, 8))):
        flag = chance.choice(
            (*argument.flags, *argument.no_flags, argument.flag.replace("-", "_"), argument.flag[:-2])
        )
        value = _value(chance, argument)
        text = json.dumps(value, default=str, skipkeys=True) if isinstance(value, dict | list) else str(value)
        found += chance.choice(([flag, text], [f"{flag}={text}"], [flag], [f"{flag}.a.b={text}"], [flag, text, text]))
    return [word.encode("utf-8", "replace").decode() for word in found]


def _value(chance: Random, argument: Argument) -> Any:
    if argument.choices and chance.random() < 0.4:
        return chance.choice(argument.choices)
    if argument.kind in ("json", "json_or_str") and chance.random() < 0.6:
        keys = (
            "method",
            "num_speculative_tokens",
            "model",
            "cudagraph_mode",
            "level",
            "pass_config",
            "kv_connector",
            "",
        )
        return {chance.choice(keys): values.anything(chance) for _ in range(3)}
    return values.anything(chance) if chance.random() < 0.6 else chance.choice((1, 2, 4096, 0.9, "auto"))


def _quoted(chance: Random, word: str) -> str:
    return chance.choice(
        (word, word, f"'{word}'", f'"{word}"', word.replace(" ", "\\ "), f"$'{word}'", f'"${{X:-{word}}}"')
    )
