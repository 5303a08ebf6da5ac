"""Asks KubeRay and Ray's autoscaler what they make of each group, and writes the fixture beside the tests.

Needs Go and the Go module proxy for KubeRay (the version of go.mod), bash, and a Python with ray[default] installed:
`RAY_PYTHON=/path/to/python python tests/stack/ray_oracle/make_fixtures.py`. A shell reads KubeRay's command line as
it would in the pod; the numbers in it are read as `ray start` declares them (whole numbers, a JSON map).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import shapes

_HERE = Path(__file__).parent
_ASK_AUTOSCALER = r"""
import json, logging, sys
logging.disable(logging.CRITICAL)
import ray
from ray.autoscaler._private.kuberay.autoscaling_config import _get_ray_resources_from_group_spec
print(json.dumps(ray.__version__))
for line in sys.stdin:
    asked = json.loads(line)
    try:
        print(json.dumps({"resources": _get_ray_resources_from_group_spec(asked["group"], asked["head"])}))
    except Exception as fault:
        print(json.dumps({"error": type(fault).__name__}))
"""
# `ray` prints its words, one a line in JSON's spelling; `ulimit` is not wanted here.
_SHELL = r"""
ulimit() { :; }
ray() { for word in "$@"; do printf '%s\0' "$word"; done; }
"""


def operator_says(lines: str) -> list[dict[str, Any]]:
    """The command lines that KubeRay writes."""
    command = ["go", "run", "."]
    done = subprocess.run(command, cwd=_HERE, input=lines, text=True, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def read_by_ray(arguments: str) -> dict[str, Any]:
    """What `ray start` reads; None for a flag that it refuses."""
    command = ["bash", "-c", _SHELL + arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]})
    words = dict(word[2:].split("=", 1) for word in done.stdout.split("\0") if word.startswith("--") and "=" in word)
    found: dict[str, Any] = {}
    for flag in ("num-cpus", "num-gpus", "memory"):
        if flag in words:
            found[flag] = _whole(words[flag])
    if "resources" in words:
        found["resources"] = _map(words["resources"])
    return found


def _whole(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def _map(text: str) -> dict[str, Any] | None:
    try:
        parsed = json.loads(text)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


def autoscaler_says(lines: str) -> tuple[str, list[dict[str, Any]]]:
    """Ray's version, and what its autoscaler derives."""
    python = os.environ.get("RAY_PYTHON", "python")
    done = subprocess.run([python, "-c", _ASK_AUTOSCALER], input=lines, text=True, capture_output=True, check=True)
    version, *rows = (json.loads(line) for line in done.stdout.splitlines())
    return version, rows


def main() -> None:
    """Write the fixture."""
    asked = shapes.shapes()
    lines = "".join(json.dumps(shape) + "\n" for shape in asked.values())
    written = operator_says(lines)
    version, derived = autoscaler_says(lines)
    rows = [
        {"shape": name, **shape, "told": read_by_ray(row["arguments"]), "believed": answer}
        for (name, shape), row, answer in zip(asked.items(), written, derived, strict=True)
    ]
    module = next(line for line in (_HERE / "go.mod").read_text().splitlines() if "kuberay" in line)
    source = json.dumps({"kuberay": module.split()[-1], "ray": version}, sort_keys=True)
    answers = ",\n    ".join(json.dumps(row) for row in rows)
    (_HERE.parent / "ray_resources.json").write_text(
        f'{{\n  "source": {source},\n  "answers": [\n    {answers}\n  ]\n}}\n'
    )


if __name__ == "__main__":
    main()
