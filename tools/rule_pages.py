"""Write `docs/rules`: a page for every rule from its own file, and a table of all ids that a finding can carry.

python -m tools.rule_pages --write
python -m tools.rule_pages --check
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from controlplane.cli.views.explanation_text import Explained, explained
from controlplane.rules.catalogue import FAMILIES

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "rules"

HEAD = """# Rules

Generated from the files under `controlplane/rules` and `controlplane/cli/explanations` by `tools/rule_pages.py`; do
not edit. `controlplane explain RULE` prints the same. A rule's layer is where the cause lies, which is not always
where the fault shows. How to select, accept and repair: [lint.md](../lint.md).
"""

_FAMILY = {
    "kubernetes": "Kubernetes: what the API server, the scheduler and the kubelet will make of it",
    "ray": "Ray: what Ray is told it has, and what KubeRay and Serve do with it",
    "vllm": "vLLM: arguments, variables and combinations, by version",
    "cross": "Across layers: where two of them say different things",
}
_REST = """## Ids without a page

What the readers of YAML and manifests, the checks of policies and the comments that accept findings say.

| id | severity | what it says |
| --- | --- | --- |
"""


def main(mode: str) -> int:
    """Write all pages, or say which are not what they would be written as."""
    wanted = pages(explained())
    there = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*.md")}
    stale = [name for name, text in wanted.items() if name not in there or there[name].read_text() != text]
    left = sorted(there.keys() - wanted.keys())
    if mode == "--write":
        for name in stale:
            path = FOLDER / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[name], encoding="utf-8")
        for name in left:
            there[name].unlink()
        return 0
    for name in (*stale, *left):
        print(f"stale: docs/rules/{name}", file=sys.stderr)
    return 1 if stale or left else 0


def pages(entries: Mapping[str, Explained]) -> dict[str, str]:
    """Every page by its name below `docs/rules`."""
    rules = [entry for entry in entries.values() if entry.bad]
    written = {f"{entry.id}.md": page(entry) for entry in rules}
    return {"README.md": index(rules, [entry for entry in entries.values() if not entry.bad]), **written}


def index(rules: Iterable[Explained], others: Iterable[Explained]) -> str:
    """The table of all rules by family, then the ids that have no page."""
    by_family: dict[str, list[Explained]] = {family: [] for family in FAMILIES}
    for entry in rules:
        by_family[entry.id.partition("/")[0]].append(entry)
    parts = [HEAD, *(_family(name, own) for name, own in by_family.items() if own)]
    rows = [f"| `{entry.id}` | {entry.severity} | {cell(entry.title)} |" for entry in others]
    return "\n".join([*parts, _REST + "\n".join(rows)]) + "\n"


def _family(name: str, entries: Iterable[Explained]) -> str:
    rows = [
        f"| [{entry.id.partition('/')[2]}]({entry.id}.md) | {cell(entry.title)} | {entry.severity} | {entry.layer} "
        f"| {entry.since}{', preview' if entry.status == 'preview' else ''} |"
        for entry in entries
    ]
    head = ["| rule | what it says | severity | layer | since |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([f"## {_FAMILY[name]}", "", *head, *rows, ""])


def page(entry: Explained) -> str:
    """A rule's page: what its file says of it, its bad example first."""
    status = " It is a preview: it does not run unless it is selected." if entry.status == "preview" else ""
    parts = [
        f"# {entry.id}",
        entry.title,
        f"Severity {entry.severity}, layer {entry.layer}, since {entry.since}.{status}",
        "## Why",
        entry.why,
        "## Found in",
        *(fenced(text) for text in entry.bad),
        "## What to do",
        entry.remedy,
        "## Clean",
        *(fenced(text) for text in entry.good),
    ]
    if entry.sources:
        parts += ["## Sources", "\n".join(f"- {source}" for source in entry.sources)]
    return "\n\n".join(parts) + "\n"


def fenced(text: str) -> str:
    """A manifest as a block of code, whatever back-ticks stand in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}yaml\n{text}\n{fence}"


def cell(text: str) -> str:
    """A text that ends no cell."""
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    if sys.argv[1:] not in (["--check"], ["--write"]):
        sys.exit("usage: python -m tools.rule_pages --check|--write")
    sys.exit(main(sys.argv[1]))
