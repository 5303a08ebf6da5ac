"""What can stop the sandbox: each error states the fact, with the numbers, and the remedy.

Raised by everything in this package and shown as they are by the command line. The cause, where there is one, is
chained. Nothing here is a mistake in a policy; those are diagnostics.
"""

from __future__ import annotations


class SandboxError(Exception):
    """The machine, or something on it, does not allow what was asked."""

    def __init__(self, fact: str, remedy: str) -> None:
        super().__init__(f"{fact}\n{remedy}")
        self.fact = fact
        self.remedy = remedy


class UnsupportedMachine(SandboxError):
    """The sandbox runs on Linux, on the processors its programs are built for."""


class UnusableName(SandboxError):
    """A sandbox's name becomes a folder and a part of a kubeconfig context."""


class LowDisk(SandboxError):
    """The disk has not the room that is about to be used."""


class MissingTool(SandboxError):
    """A program that the build needs is neither here nor can be brought."""


class PortInUse(SandboxError):
    """A port that was asked for belongs to somebody else."""


class Busy(SandboxError):
    """Another process works on the same folder and did not finish in time."""


class BuildFailed(SandboxError):
    """The Go toolchain refused; the end of what it said is part of the fact."""


class ProgramFailed(SandboxError):
    """A program of the sandbox ended or did not get ready; the end of its log is part of the fact."""


class NotRunning(SandboxError):
    """There is no running sandbox of that name."""


class ApiRefused(SandboxError):
    """The sandbox's API server answered a request with an error."""

    def __init__(self, status: int, fact: str) -> None:
        super().__init__(fact, "The logs of the sandbox's programs are in its folder, under logs/.")
        self.status = status
