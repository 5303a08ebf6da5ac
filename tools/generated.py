"""Everything in the repository that a program writes: `--check` fails when a file is stale, `--write` renews it.

What needs the network (tables of the releases of vLLM, Ray and custom resources) is only checked against its recorded
digests here; renewing it is a command of its own, named in the message.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

GENERATORS = {
    "JSON Schemas of the policy kinds": ["-m", "tools.schemas.policy"],
    "policy reference page": ["-m", "tools.policy_reference"],
    "pages of the rules": ["-m", "tools.rule_pages"],
    "fields of guardrails": ["-m", "tools.guardrail_reference"],
    "model catalogue": ["-m", "tools.schemas.model_catalogue"],
    "Kubernetes feature gates": ["-m", "tools.schemas.kubernetes_features"],
    "fields of Kubernetes' objects": ["-m", "tools.schemas.kubernetes_fields"],
    "vLLM argument tables": ["-m", "tools.schemas.vllm_arguments"],
    "vLLM variables, metrics, JSON keys, batch defaults": ["-m", "tools.schemas.vllm_names"],
    "tables of Ray's releases": ["-m", "tools.schemas.ray_schemas"],
    "fields of custom resources": ["-m", "tools.schemas.custom_resources"],
}
NETWORK = {
    "vLLM argument tables",
    "vLLM variables, metrics, JSON keys, batch defaults",
    "tables of Ray's releases",
    "fields of custom resources",
    "model catalogue",
    "Kubernetes feature gates",
    "fields of Kubernetes' objects",
}


def main(mode: str) -> int:
    """Run every generator in one mode; the number of stale ones decides the exit code."""
    stale = []
    for name, command in GENERATORS.items():
        if mode == "--write" and name in NETWORK:
            continue
        if subprocess.run([sys.executable, *command, mode], cwd=ROOT, check=False).returncode:
            stale.append(name)
    for name in stale:
        renewal = "--help says how" if name in NETWORK else "--write"
        print(f"stale: {name}; run: python {' '.join(GENERATORS[name])} {renewal}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    if sys.argv[1:] not in (["--check"], ["--write"]):
        sys.exit("usage: python tools/generated.py --check|--write")
    sys.exit(main(sys.argv[1]))
