"""Write `schemas/catalogue/kubernetes-features.json`: from which version the feature gates that we need are on.

    python -m tools.schemas.kubernetes_features --source PATH/kube_features.go --version 1.36.3
    python -m tools.schemas.kubernetes_features --check

The source is `pkg/features/kube_features.go` of the Go module k8s.io/kubernetes
(`go mod download -json k8s.io/kubernetes@v1.36.3` names the folder it lands in).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[2] / "schemas" / "catalogue" / "kubernetes-features.json"
GATES = ("ImageVolume", "PodLifecycleSleepAction")

_STEP = re.compile(
    r'\{Version: version\.MustParse\("(?P<version>[0-9.]+)"\), Default: (?P<on>true|false), '
    r"PreRelease: featuregate\.(?P<stage>\w+)"
)


def gate(source: str, name: str) -> dict[str, Any]:
    """The steps of one gate, and the version of the first that turns it on. Raises ValueError if it is not there."""
    block = re.search(rf"^\t{name}: \{{\n(.*?)^\t\}},", source, re.DOTALL | re.MULTILINE)
    steps = [match.groupdict() for match in _STEP.finditer(block[1])] if block else []
    on = [step["version"] for step in steps if step["on"] == "true"]
    if not on:
        raise ValueError(f"{name} is never on in this source")
    kept = [{"version": s["version"], "on": s["on"] == "true", "stage": s["stage"].lower()} for s in steps]
    return {"on_since": on[0], "steps": kept}


def table(source: str, version: str) -> str:
    """The table as text."""
    content = {
        "source": f"k8s.io/kubernetes v{version}, pkg/features/kube_features.go",
        "made_by": "tools/schemas/kubernetes_features.py",
        "gates": {name: gate(source, name) for name in GATES},
    }
    return json.dumps(content, indent=2) + "\n"


def consistent(content: dict[str, Any]) -> bool:
    """Whether the table holds the gates that we need, and each `on_since` follows from its steps."""
    return tuple(content["gates"]) == GATES and all(
        entry["on_since"] == next(step["version"] for step in entry["steps"] if step["on"])
        for entry in content["gates"].values()
    )


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done or in order, 1 not in order, 2 usage."""
    parser = argparse.ArgumentParser(prog="python -m tools.schemas.kubernetes_features", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--check", action="store_true", help="only look whether the table is consistent")
    parser.add_argument("--source", type=Path, help="kube_features.go")
    parser.add_argument("--version", help="version of Kubernetes that the source belongs to")
    options = parser.parse_args(arguments)
    if options.check:
        return 0 if consistent(json.loads(TABLE.read_text("utf-8"))) else 1
    if options.source is None or options.version is None:
        parser.error("--source and --version are needed to write the table")
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    TABLE.write_text(table(options.source.read_text("utf-8"), options.version), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
