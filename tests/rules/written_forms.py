"""Engine arguments in the forms that people write: a list, a whole command, a script, a file."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping

Form = Callable[[Mapping[str, object]], str]

_HEAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat}}
spec:
  strategy: {{type: Recreate}}
  selector: {{matchLabels: {{app: chat}}}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec:
      terminationGracePeriodSeconds: {grace}
      nodeSelector: {{nvidia.com/gpu.product: {product}}}
      containers:
        - name: engine
          image: registry.example/vllm-openai:v{version}
"""
_TAIL = """\
          resources: {{limits: {{memory: 256Gi, nvidia.com/gpu: {gpus}}}}}
          volumeMounts: [{{name: shm, mountPath: /dev/shm}}{mount}]
      volumes: [{{name: shm, emptyDir: {{medium: Memory}}}}{volume}]
"""
_DEFAULTS = {"version": "0.33.0", "gpus": 1, "product": "NVIDIA-H100-80GB-HBM3", "model": "registry.example/chat"}


def _flag(name: str, value: object) -> str:
    word = "--" + name.replace("_", "-")
    return word if value is True else f"{word}={value}"


def _parts(case: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    """What stands round the arguments, and the arguments (those with a mark `!` before the name are to be found)."""
    around = {**_DEFAULTS, "grace": 300, "mount": "", "volume": ""}
    around |= {key: value for key, value in case.items() if key in around}
    return around, {key: value for key, value in case.items() if key not in around}


def as_list(case: Mapping[str, object]) -> str:
    """A list of words under `args`, each flag with its value behind `=`."""
    around, arguments = _parts(case)
    lines = [f"--model={around['model']}"]
    rows = [f"- {line}" for line in lines]
    rows += [f"- {_flag(name.lstrip('!'), value)}" for name, value in arguments.items()]
    return _HEAD.format(**around) + _indented("args:", rows, 10) + _TAIL.format(**around)


def as_pairs(case: Mapping[str, object]) -> str:
    """A whole command, flags and values apart."""
    around, arguments = _parts(case)
    rows = ["- vllm", "- serve", f"- {around['model']}"]
    for name, value in arguments.items():
        if value is True:
            rows.append(f"- --{name.lstrip('!').replace('_', '-')}")
        else:
            rows += [f"- --{name.lstrip('!').replace('_', '-')}", f'- "{value}"']
    return _HEAD.format(**around) + _indented("command:", rows, 10) + _TAIL.format(**around)


def as_script(case: Mapping[str, object]) -> str:
    """A shell script with line continuations."""
    around, arguments = _parts(case)
    rows = ["- bash", "- -c", "- |", "  set -e  # starts the engine", f"  exec vllm serve {around['model']} \\"]
    flags = [(name, _flag(name.lstrip("!"), value).replace("=", " ")) for name, value in arguments.items()]
    rows += [f"    {flag} \\" for _, flag in flags] + ["    --port 8000"]
    return _HEAD.format(**around) + _indented("command:", rows, 10) + _TAIL.format(**around)


def as_file(case: Mapping[str, object]) -> str:
    """A file of arguments in a ConfigMap."""
    around, arguments = _parts(case)
    around |= {"mount": ", {name: engine, mountPath: /etc/engine}"}
    around |= {"volume": ", {name: engine, configMap: {name: chat-engine}}"}
    rows = [
        f"{name.lstrip('!').replace('_', '-')}: {'true' if value is True else value}"
        for name, value in arguments.items()
    ]
    body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: chat-engine}\ndata:\n"
    body += _indented("engine.yaml: |", [f"  {row}" for row in rows], 2) + "---\n"
    words = [f"- --model={around['model']}", "- --config=/etc/engine/engine.yaml"]
    return body + _HEAD.format(**around) + _indented("args:", words, 10) + _TAIL.format(**around)


def _indented(head: str, rows: list[str], by: int) -> str:
    return textwrap.indent("\n".join([head, *(f"  {row}" for row in rows)]) + "\n", " " * by)


FORMS: dict[str, Form] = {"list": as_list, "pairs": as_pairs, "script": as_script, "file": as_file}


def lines_of(text: str, case: Mapping[str, object]) -> list[int]:
    """The lines on which the marked arguments of a case stand with their values, in the order of the text."""
    wanted = [name.lstrip("!") for name in case if name.startswith("!")]
    lines = text.splitlines()
    found = []
    for name in wanted:
        flag = name.replace("_", "-")
        (line,) = [
            n for n, text_ in enumerate(lines, 1) if f"{flag} " in f"{text_} ".replace("=", " ").replace(":", " ")
        ]
        apart = lines[line - 1].strip() == f"- --{flag}" and case[f"!{name}"] is not True
        found.append(line + apart)
    return sorted(found)
