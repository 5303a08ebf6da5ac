"""`controlplane explain RULE`: why a finding matters, with examples, and what to do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.options import format_option
from controlplane.cli.terminal import wants_colour

if TYPE_CHECKING:
    from controlplane.cli.views.explanation_text import Explained


@click.command(short_help="Say why a finding matters, with examples.")
@click.argument("rules", nargs=-1, metavar="RULE...")
@click.option("--all", "all_", is_flag=True, help="List every rule; with --format json, all that is known of each.")
@format_option("text", "json")
def command(rules: tuple[str, ...], all_: bool, format_: str) -> Exit:
    """Explain a finding by the id in its brackets: why it matters, a manifest with and without it, what to do.

    RULE is an id such as vllm/argument-removed, or a family with its slash (vllm/), which lists its rules.
    """
    from controlplane.cli.views.explanation_text import explained

    if not rules and not all_:
        raise VerbEnd(Exit.USAGE, "no rule was named", "Name one, or list them: controlplane explain --all.")
    known = explained()
    entries = list(known.values()) if all_ else [entry for name in rules for entry in _named(name, known)]
    listing = all_ or any(name.endswith("/") for name in rules)
    click.echo(_written(entries, format_, listing=listing))
    return Exit.OK


def _written(entries: Sequence[Explained], format_: str, *, listing: bool) -> str:
    from controlplane.cli.views.explanation_text import as_json, render, render_table
    from controlplane.cli.views.findings_json import FORMAT_VERSION

    if format_ == "json":
        document = {"format_version": FORMAT_VERSION, "rules": [as_json(entry) for entry in entries]}
        return json.dumps(document, indent=2, ensure_ascii=False)
    if listing:
        return render_table(entries)
    return "\n\n".join(render(entry, colour=wants_colour()) for entry in entries)


def _named(name: str, known: Mapping[str, Explained]) -> list[Explained]:
    """The rule of an id, or all of a family. Ends the verb with 64 where there is none."""
    if name.endswith("/"):
        family = [entry for rule, entry in known.items() if rule.startswith(name)]
        if family:
            return family
    elif name in known:
        return [known[name]]
    raise VerbEnd(Exit.USAGE, f"there is no rule {name!r}", _advice(name, known))


def _advice(name: str, known: Mapping[str, Explained]) -> str:
    from controlplane.source import nearest

    slugs = {rule.partition("/")[2]: rule for rule in known}
    near = nearest(name, known) or slugs.get(name) or slugs.get(nearest(name.rpartition("/")[2], slugs) or "")
    return f"Did you mean {near}?" if near else "List them: controlplane explain --all."
