"""Options that mean the same in every verb."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...")


def format_option(*formats: str) -> Callable[[F], F]:
    """`--format`, the first being the default."""
    return click.option(
        "--format", "format_", type=click.Choice(formats), default=formats[0], show_default=True, help="How to print."
    )


def output_option(what: str) -> Callable[[F], F]:
    """`-o/--output FILE`."""
    return click.option("-o", "--output", metavar="FILE", help=f"Write {what} to FILE instead of standard output.")


def cluster_options(function: F) -> F:
    """Which cluster: `--context`, `--kubeconfig`, `--sandbox`."""
    for option in (
        click.option("--sandbox", metavar="NAME", help="Use the local sandbox of that name."),
        click.option(
            "--kubeconfig", metavar="FILE", help="Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config."
        ),
        click.option("--context", metavar="NAME", help="Kubeconfig context; overrides the Fleet's."),
    ):
        function = option(function)
    return function


yes = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
