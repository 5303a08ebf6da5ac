"""How much of a file is read before the reader stops with a finding."""

from __future__ import annotations

from controlplane.frozen import frozen


@frozen
class Budget:
    """Limits for one file. Time and memory grow at most linearly within them."""

    bytes: int = 20 * 1024 * 1024
    """Size of the file, checked before anything is decoded."""
    depth: int = 100
    """Collections inside each other; libyaml itself stops at 1,000."""
    nodes: int = 500_000
    """Values and collections written in the file, keys not counted."""
    expanded_nodes: int = 1_000_000
    """The same with every alias and merge key replaced by what it stands for."""
    documents: int = 10_000
    """Documents in the file, empty ones counted."""
    findings: int = 1_000
    """Findings told one by one; what follows is counted in one more."""
    resumptions: int = 50
    """How often reading starts again at the next document after one that cannot be read."""
    directives: int = 100
    """Lines that begin with `%`; libyaml compares each %TAG with all before it."""
