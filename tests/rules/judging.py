"""Judges the text of manifests as `lint` does, for tests of rules."""

from __future__ import annotations

import textwrap

from controlplane.diagnostics import Diagnostic
from controlplane.rules import judge
from controlplane.source import Dialect, read_yaml
from controlplane.stack.read import read

FILE = "manifests.yaml"


def findings_of(text: str) -> tuple[Diagnostic, ...]:
    """What reading and all rules say of some manifests, in the order of the text."""
    file = read_yaml(textwrap.dedent(text).lstrip("\n").encode(), FILE, Dialect.KUBERNETES)
    reading = read(file.documents)
    return tuple(sorted((*file.diagnostics, *reading.diagnostics, *judge(reading.stack).findings)))


def marked_lines(text: str) -> list[int]:
    """The lines that carry `# fires`, or stand behind a line `# fires below`; counted as `findings_of` does."""
    lines = textwrap.dedent(text).lstrip("\n").splitlines()
    below = [number + 1 for number, line in enumerate(lines, 1) if line.rstrip().endswith("# fires below")]
    return sorted([number for number, line in enumerate(lines, 1) if line.rstrip().endswith("# fires")] + below)
