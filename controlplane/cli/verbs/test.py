"""`controlplane test PATH...`: the tests that Guardrails carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from controlplane.cli.exit import Exit, VerbEnd
from controlplane.cli.options import paths
from controlplane.cli.terminal import printable, wants_colour

if TYPE_CHECKING:
    from controlplane.guardrails.trials import Trial


@click.command(short_help="Run the tests that Guardrails carry.")
@paths
def command(paths: tuple[str, ...]) -> Exit:
    """Judge every example under `spec.tests` of the Guardrails, and compare with what it expects.

    PATH is a file, a folder, or - for standard input. Exit 0 all as expected, 1 not, 2 no test.
    """
    from datetime import UTC, datetime

    from controlplane.cli.compilation import read_policies
    from controlplane.cli.guardrail_findings import need_cel
    from controlplane.cli.views import findings_text

    policies, findings, texts = read_policies(paths)
    need_cel()
    from controlplane.guardrails.trials import trials

    tried = [t for g in policies.guardrails.values() for t in trials(g, datetime.now(UTC).date())]
    wrong = [*findings, *(f for t in tried for f in t.refused)]
    if wrong:
        click.echo(findings_text.render(sorted(set(wrong)), texts, colour=wants_colour()))
        return Exit.NEGATIVE
    if not tried:
        raise VerbEnd(Exit.NOTHING_TO_READ, f"no test of a Guardrail in {', '.join(paths)}", "Write spec.tests.")
    for trial in tried:
        click.echo("\n".join(_lines(trial)))
    failed = sum(1 for trial in tried if not trial.as_expected)
    click.echo(f"{len(tried)} tests, {failed} failed")
    return Exit.NEGATIVE if failed else Exit.OK


def _lines(trial: Trial) -> Iterator[str]:
    verdict = "ok" if trial.as_expected else "FAILED"
    yield f"{verdict:<7}{printable(trial.guardrail)}: {printable(trial.name)}"
    if trial.as_expected:
        return
    wanted, found = Counter(trial.expected), Counter(rule for rule, _ in trial.found)
    yield from (f"       not found: {printable(rule)}" for rule in sorted((wanted - found).elements()))
    extra = found - wanted
    for rule, message in trial.found:
        if extra[rule]:
            extra[rule] -= 1
            yield f"       not expected: {printable(rule)}: {printable(message)}"
