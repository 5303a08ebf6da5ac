"""Asks the real readers for every spelling and writes the fixtures beside the tests.

Needs Go and, once, the Go module proxy: `python tests/source/oracle/make_fixtures.py`. The versions are those of
go.mod.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import spellings

_HERE = Path(__file__).parent


def ask(mode: str, texts: list[str]) -> list[dict[str, object]]:
    """The oracle's answers, in order."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    command = ["go", "run", ".", mode]
    done = subprocess.run(command, cwd=_HERE, input=lines, text=True, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def versions() -> dict[str, str]:
    """The modules that answered."""
    command = ["go", "list", "-m", "-f", "{{.Path}} {{.Version}}", "all"]
    done = subprocess.run(command, cwd=_HERE, text=True, capture_output=True, check=True)
    wanted = ("sigs.k8s.io/yaml", "go.yaml.in/yaml/v2", "k8s.io/apimachinery")
    found = dict(line.split(" ", 1) for line in done.stdout.splitlines() if line.startswith(wanted))
    go = subprocess.run(["go", "version"], text=True, capture_output=True, check=True).stdout  # noqa: S607
    return {"go": go.split()[2], **{name: version for name, version in found.items() if name in wanted}}


def main() -> None:
    """Write the three fixtures."""
    fixtures = {
        "kubernetes_scalars": ("yaml", spellings.documents()),
        "kubernetes_quantities": ("quantity", spellings.quantities()),
        "go_durations": ("duration", spellings.durations()),
    }
    source = versions()
    for name, (mode, texts) in fixtures.items():
        rows = ",\n    ".join(json.dumps(row, sort_keys=True) for row in ask(mode, texts))
        head = json.dumps(source, sort_keys=True)
        text = f'{{\n  "source": {head},\n  "answers": [\n    {rows}\n  ]\n}}\n'
        (_HERE.parent / f"{name}.json").write_text(text)


if __name__ == "__main__":
    main()
