"""`controlplane render PATH...`: policies to Kubernetes manifests, the same bytes every time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.options import format_option, output_option, paths
from controlplane.cli.output import write_output

if TYPE_CHECKING:
    from controlplane.emit.bundle import Bundle


@click.command(short_help="Compile policies to Kubernetes manifests.")
@paths
@click.option("--explain", is_flag=True, help="Show beside each field where its value comes from.")
@click.option("--service", metavar="NAMESPACE/NAME", help="Only the objects of this service.")
@format_option("yaml", "json")
@output_option("the manifests")
def command(paths: tuple[str, ...], explain: bool, service: str | None, format_: str, output: str | None) -> Exit:
    """Compile policies to Kubernetes manifests, deterministic to the byte and ordered for reading.

    Findings go to standard error; exit 1 when an error among them stops the compilation.
    """
    from controlplane.cli.compilation import compiled
    from controlplane.emit import explained_yaml, to_yaml

    bundle = compiled(paths).bundle
    if service is not None:
        bundle = _only(bundle, service)
    if format_ == "json":
        text = json.dumps([o.manifest for o in bundle.objects], indent=2, ensure_ascii=False) + "\n"
    else:
        text = explained_yaml(bundle) if explain else to_yaml(bundle)
    if output:
        write_output(output, text)
    else:
        click.echo(text, nl=False)
    return Exit.OK


def _only(bundle: Bundle, service: str) -> Bundle:
    from controlplane.source import nearest

    if service not in bundle.services():
        near = nearest(service, bundle.services())
        hint = f"Did you mean {near}?" if near else f"There are: {', '.join(bundle.services())}."
        raise VerbEnd(Exit.USAGE, f"there is no service {service!r}", hint)
    return bundle.of_service(service)
