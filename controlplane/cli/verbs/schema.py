"""`controlplane schema [KIND]`: the JSON Schema of a policy kind, for editors and other tools."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.options import output_option
from controlplane.cli.output import write_output


@click.command(short_help="Print the JSON Schema of a policy kind.")
@click.argument("kind", required=False, metavar="[KIND]")
@output_option("the schema")
def command(kind: str | None, output: str | None) -> Exit:
    """Print the JSON Schema (draft 2020-12) of one policy kind, or of all of them in one file.

    In an editor with the YAML language server, put this on the first line of a policy:

        # yaml-language-server: $schema=policy.json
    """

    text = _file_of(kind).read_text(encoding="utf-8")
    if output:
        write_output(output, text)
    else:
        click.echo(text, nl=False)
    return Exit.OK


def _file_of(kind: str | None) -> Traversable:
    from controlplane.source import nearest

    folder = resources.files("controlplane.schemas") / "policy"
    files = {_kind(f.name): f for f in folder.iterdir() if f.name.endswith(".json")}
    found = files.get(kind) if kind else folder / "policy.json"
    if found is None:
        kinds = sorted(set(files) - {"Policy"})
        near = nearest(kind or "", kinds)
        hint = f"Did you mean {near}?" if near else f"There are: {', '.join(kinds)}."
        raise VerbEnd(Exit.USAGE, f"there is no policy kind {kind!r}", hint)
    return found


def _kind(file: str) -> str:
    """`model-service.json` is the schema of ModelService."""
    return "".join(word.capitalize() for word in file.removesuffix(".json").split("-"))
