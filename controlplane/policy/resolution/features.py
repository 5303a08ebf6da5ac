"""From which Kubernetes version a feature is on by default, from the generated table of feature gates."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True, slots=True)
class Minor:
    """A minor version of Kubernetes, such as 1.35."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    def reached_by(self, version: str) -> bool:
        """Whether a version such as `1.36.3` is this one or later. What has no numbers in it is not."""
        match = re.match(r"(\d+)\.(\d+)", version)
        return match is not None and (int(match[1]), int(match[2])) >= (self.major, self.minor)


@functools.cache
def on_by_default(gate: str) -> Minor:
    """The version from which a feature gate is on. Raises KeyError for a gate that the table does not hold."""
    table = resources.files("controlplane").joinpath("schemas", "catalogue", "kubernetes-features.json")
    major, _, minor = json.loads(table.read_text("utf-8"))["gates"][gate]["on_since"].partition(".")
    return Minor(int(major), int(minor))
