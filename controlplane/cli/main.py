"""The command `controlplane`: finds the verb, runs it, and turns whatever happens into one exit code.

A verb's module is imported only when that verb runs, so that `--help` costs next to nothing. A verb returns an
`Exit`, raises `VerbEnd`, or lets an `AdapterError` through; anything else is a bug of ours and gets a report file.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from controlplane import __version__
from controlplane.cli.exit import Exit, VerbEnd

VERBS: dict[str, tuple[str, str]] = {
    "lint": ("lint", "Check manifests and policies: all findings, with exact positions."),
    "render": ("render", "Compile policies to Kubernetes manifests."),
    "plan": ("plan", "Show what would change, why, and what it costs."),
    "apply": ("apply", "Plan, ask, roll out through Temporal, follow."),
    "status": ("status", "Show services, their revisions and rollouts."),
    "history": ("history", "List a service's revisions: who, what, why."),
    "rollback": ("rollback", "Return a service to an earlier revision."),
    "cancel": ("cancel", "Cancel the rollout that is in flight."),
    "drift": ("drift", "Compare what is live with what was applied."),
    "explain": ("explain", "Say why a finding matters, with examples."),
    "test": ("test", "Run the tests that Guardrails carry."),
    "schema": ("schema", "Print the JSON Schema of a policy kind."),
    "sandbox": ("sandbox", "Start, stop and show a real local cluster."),
    "service": ("service", "Start, stop and show the local Temporal service."),
    "worker": ("worker", "Run a worker for rollouts and drift checks."),
}
"""Verb -> (module under `cli/verbs`, one line of help), in the order of a day's work."""


class Verbs(click.Group):
    """A group that imports a verb's module only when that verb is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it so
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        entry = VERBS.get("render" if cmd_name == "compile" else cmd_name)
        if entry is None:
            return None
        module = importlib.import_module(f"controlplane.cli.verbs.{entry[0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Verbs"):
            formatter.write_dl([(name, text) for name, (_, text) in VERBS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and args[0] != "compile" and not args[0].startswith("-"):
            self._unknown(ctx, args[0])
        return super().resolve_command(ctx, args)

    def _unknown(self, ctx: click.Context, word: str) -> None:
        from controlplane.source import nearest

        near = nearest(word, VERBS)
        ctx.fail(f"there is no verb {word!r}" + (f"; did you mean {near!r}?" if near else ""))


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="controlplane")
def program() -> None:
    """Check, roll out and watch language-model services on Kubernetes, Ray and vLLM.

    Policies are small YAML files; `controlplane lint` checks them, `render` compiles them, `plan` shows what would
    change in a cluster, `apply` rolls it out and returns by itself to the last good revision when it fails.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    try:
        result: Any = program.main(args=arguments, prog_name="controlplane", standalone_mode=False)
        return int(result) if isinstance(result, int) else Exit.OK
    except VerbEnd as end:
        return _tell(end.code, end.message, end.remedy)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.UsageError as error:
        error.show()
        return Exit.USAGE
    except (KeyboardInterrupt, click.Abort):
        return _tell(Exit.INTERRUPTED, "interrupted")
    except BrokenPipeError:
        sys.stderr.close()
        return Exit.OK
    except Exception as error:
        return _world_or_bug(error)


def _world_or_bug(error: Exception) -> int:
    from controlplane.adapters.errors import AdapterError
    from controlplane.cli.bug_report import described, write_report

    if isinstance(error, AdapterError):
        return _tell(Exit.REFUSED, error.message, error.remedy)
    sandbox = sys.modules.get("controlplane.sandbox.errors")
    if sandbox is not None and isinstance(error, sandbox.SandboxError):
        return _tell(Exit.CANNOT_TELL, error.fact, error.remedy)
    path = write_report(error)
    return _tell(Exit.BUG, f"this is a bug: {described(error)}", f"A report is in {path}; please send it.")


def _tell(code: int, message: str, remedy: str = "") -> int:
    from controlplane.cli.terminal import printable

    if message:
        click.echo(f"controlplane: {printable(message)}", err=True)
    if remedy:
        click.echo(f"  {printable(remedy)}", err=True)
    return code


def entry() -> NoReturn:
    """Run as a program.

    Where the Temporal client was used, the process ends without finalising the interpreter. Seen once, with
    temporalio 1.35 on Python 3.11: a rollout was done and its summary printed, and the process ended by SIGSEGV. The
    likely cause, not proven, is the client's native threads, which outlive `main`.
    """
    code = main()
    if "temporalio" in sys.modules:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    entry()
