"""Write `docs/policies.md`: every key of every policy kind, with its default, from the generated JSON Schemas.

python -m tools.policy_reference --write
python -m tools.policy_reference --check
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "schemas" / "policy"
PAGE = ROOT / "docs" / "policies.md"
KINDS = ("model-service", "machine-policy", "task-policy", "memory-policy", "rollout-policy", "fleet", "guardrail")

HEAD = """# Policies, key by key

Generated from the JSON Schemas in `schemas/policy` by `tools/policy_reference.py`; do not edit. A section of a
ModelService (`machine`, `task`, `memory`, `rollout`) takes the keys of the policy of that name, inline or as
`{policy: NAME, …overrides}`. Bold keys are required. Quantities are written as in Kubernetes, durations as `30s`,
`10m`, `1h30m`.
"""

Schema = Mapping[str, Any]


def main(mode: str) -> int:
    """Write the page, or say whether it is what it would be written as."""
    text = page()
    if mode == "--write":
        PAGE.write_text(text, encoding="utf-8")
        return 0
    return 0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text else 1


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(section(json.loads((SCHEMAS / f"{kind}.json").read_text())) for kind in KINDS)])


def section(schema: Schema) -> str:
    """One kind: its sentence, and a table of all its keys, depth first."""
    kind = schema["properties"]["kind"]["const"]
    rows = [
        f"| {key} | {form} | {cell(text)} |" for key, form, text in keys(schema, schema["properties"]["spec"], "")
    ]
    table = ["| key | value | what it says |", "| --- | --- | --- |", *rows]
    return "\n".join([f"## {kind}", schema["description"], "", *table, ""])


def keys(root: Schema, node: Schema, above: str) -> Iterator[tuple[str, str, str]]:
    """Every key below a node: its path, the form of its value with the default, and its description."""
    holder = resolved(root, node)
    for name, raw in holder.get("properties", {}).items():
        value = resolved(root, raw)
        path = f"{above}{name}"
        shown = f"**`{path}`**" if name in holder.get("required", ()) else f"`{path}`"
        yield shown, form(root, raw), raw.get("description") or value.get("description", "")
        below = inner(root, value)
        if above or "policy" not in below.get("properties", {}):
            yield from keys(root, below, f"{path}{'[]' if value.get('type') == 'array' else ''}.")


def inner(root: Schema, value: Schema) -> Schema:
    """Where the keys below a value are: in a list's items, or in the mapping among its alternatives."""
    if value.get("type") == "array":
        return resolved(root, value.get("items", {}))
    choices = [resolved(root, choice) for choice in value.get("anyOf", ())]
    return next((c for c in choices if "properties" in c), value)


def form(root: Schema, raw: Schema) -> str:
    """`one of a, b; default a`, `integer from 1`, `list`, and the like."""
    value = resolved(root, raw)
    parts = [kind_of(root, value)]
    if "default" in raw and raw["default"] not in (None, {}, []):
        parts.append(f"default `{json.dumps(raw['default']).strip(chr(34))}`")
    return cell("; ".join(p for p in parts if p))


def kind_of(root: Schema, value: Schema) -> str:
    if "enum" in value:
        return "one of " + ", ".join(f"`{each}`" for each in value["enum"])
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(kind_of(root, resolved(root, choice)) for choice in value["anyOf"]))
    limits = [f"{word} {value[key]}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in value]
    names = {"array": "list", "object": "mapping", "string": "text"}
    found = str(value.get("type", "any"))
    return " ".join([names.get(found, found), *limits])


def resolved(root: Schema, node: Schema) -> Schema:
    """A node with its `$ref` followed."""
    reference = node.get("$ref")
    return root["$defs"][reference.rpartition("/")[2]] if reference else node


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    if sys.argv[1:] not in (["--check"], ["--write"]):
        sys.exit("usage: python -m tools.policy_reference --check|--write")
    sys.exit(main(sys.argv[1]))
