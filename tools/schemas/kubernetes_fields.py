"""Write `schemas/kubernetes/fields.json`: the fields of Kubernetes' own objects that manifests are made of.

    python -m tools.schemas.kubernetes_fields --date 2026-11-29
    python -m tools.schemas.kubernetes_fields --check

The source are the models of the `kubernetes` package, which are generated from the API server's OpenAPI document: the
package's major version is the minor version of Kubernetes. Every type maps each of its fields, as manifests name it,
to what it takes: another type, `[Type]` for a list of one, `{string}` for a map of texts, `integer`, `boolean`, or
nothing where the model does not tell enough (a text may be a quantity, which may be a number).
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any

from tools.schemas import digests

FOLDER, FILE = "kubernetes", "fields.json"
ROOTS = {
    "v1 ConfigMap": "V1ConfigMap",
    "v1 LimitRange": "V1LimitRange",
    "v1 Namespace": "V1Namespace",
    "v1 Node": "V1Node",
    "v1 PersistentVolumeClaim": "V1PersistentVolumeClaim",
    "v1 Pod": "V1Pod",
    "v1 ReplicationController": "V1ReplicationController",
    "v1 ResourceQuota": "V1ResourceQuota",
    "v1 Service": "V1Service",
    "apps/v1 DaemonSet": "V1DaemonSet",
    "apps/v1 Deployment": "V1Deployment",
    "apps/v1 ReplicaSet": "V1ReplicaSet",
    "apps/v1 StatefulSet": "V1StatefulSet",
    "autoscaling/v1 HorizontalPodAutoscaler": "V1HorizontalPodAutoscaler",
    "autoscaling/v2 HorizontalPodAutoscaler": "V2HorizontalPodAutoscaler",
    "batch/v1 CronJob": "V1CronJob",
    "batch/v1 Job": "V1Job",
    "policy/v1 PodDisruptionBudget": "V1PodDisruptionBudget",
    "scheduling.k8s.io/v1 PriorityClass": "V1PriorityClass",
}
"""apiVersion and kind of what lint reads, and the model of each."""

_SCALARS = {"int": "integer", "bool": "boolean"}
_QUANTITIES = {
    "allocatable",
    "capacity",
    "default",
    "defaultRequest",
    "hard",
    "limits",
    "max",
    "maxLimitRequestRatio",
}
_QUANTITIES |= {"min", "overhead", "requests", "used", "allocatedResources"}


def takes(field: str, told: str) -> str:
    """What a field takes, of what a model tells: `List[V1EnvVar]`, `Dict[str, str]`, `V1Probe`, `int`."""
    if told == "Dict[str, str]" and field not in _QUANTITIES:
        return "{string}"
    inner = re.fullmatch(r"[Ll]ist\[(V\w+)\]", told)
    if inner:
        return f"[{inner[1]}]"
    return told if re.fullmatch(r"V\d\w+", told) else _SCALARS.get(told, "")


def types(models: Any) -> dict[str, dict[str, str]]:
    """Every type that the roots are made of, sorted. What a cluster reports (`status`) is left out."""
    found: dict[str, dict[str, str]] = {}
    wanted = sorted(set(ROOTS.values()) | {"V1PodTemplateSpec"})
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        model = getattr(models, name)
        found[name] = {
            model.attribute_map[own]: "" if own == "status" else takes(model.attribute_map[own], told)
            for own, told in sorted(model.openapi_types.items())
        }
        wanted += [re.sub(r"[\[\]]", "", told) for told in found[name].values() if "V" in told[:2]]
    return dict(sorted(found.items()))


def written(date: str) -> tuple[dict[str, object], dict[str, dict[str, str]]]:
    """Head and entries of the table, from the installed package."""
    import kubernetes.client

    version = kubernetes.__version__
    head = {
        "format_version": 1,
        "date": date,
        "made_by": "tools/schemas/kubernetes_fields.py",
        "source": f"kubernetes {version} (Python package), kubernetes/client/models",
        "version": f"1.{version.partition('.')[0]}",
        "roots": ROOTS,
    }
    return head, types(kubernetes.client)


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done or in order, 1 not in order, 2 usage."""
    parser = argparse.ArgumentParser(prog="python -m tools.schemas.kubernetes_fields", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--check", action="store_true", help="compare the table with its recorded digest")
    parser.add_argument("--date", help="write the table from the installed package, read on this day: YYYY-MM-DD")
    options = parser.parse_args(arguments)
    if not options.check:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", options.date or ""):
            parser.error("--date YYYY-MM-DD is needed to write the table")
        head, entries = written(options.date)
        digests.write(FOLDER, FILE, digests.lines(head, "types", entries))
        return 0
    found = digests.problems((f"{FOLDER}/{FILE}",))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
