"""Text that becomes a manifest only when something renders it: recognised, so that it is never parsed into nonsense.

A template in a value (`image: "{{ .Values.image }}"`) hides that value alone, and readers know it. Here is about
templates that stand where the structure of the document should be.
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.regex import regex

_TEMPLATE = regex(r"\{\{|\{%")
_OTHERS = regex(r"\$\{|\$\(|<%|\[\[|\(\(|%%|@@|<[A-Z_]+>|\{[A-Za-z_][A-Za-z0-9_]*\}")
"""Marks of envsubst, ERB, ytt, Concourse and the like; too common elsewhere to count but on a broken line."""

_PATCH = regex(r"""^[ \t]*(?:- +)*["']?\$(?:patch|retainKeys|setElementOrder/\w+)["']?[ \t]*:""", re.MULTILINE)
"""Directives of a strategic merge patch, which no complete object has."""

PATCH: Final = "a strategic merge patch: lint the output of `kustomize build`"
RENDER_FIRST: Final = (
    "an unrendered template: render it first (for a Helm chart: `helm template`) and lint the output"
)
SUBSTITUTE_FIRST: Final = "unrendered variables: substitute them first (for `${NAME}`: envsubst) and lint the output"


def has_template(text: str, start: int = 0, end: int | None = None) -> bool:
    """Whether a text holds an action of Go's templates or of Jinja anywhere."""
    return _TEMPLATE.search(text, start, len(text) if end is None else end) is not None


def patch_of(text: str, start: int, end: int) -> str | None:
    """Why a document that says how it is to be merged is no object; None for one that does not."""
    return PATCH if "$" in text and _PATCH.search(text, start, end) else None


def unrendered(text: str, start: int, end: int, line: str) -> str | None:
    """Why a document that cannot be parsed may be no fault: the reason, or None. `line` is where parsing stopped."""
    if has_template(text, start, end):
        return RENDER_FIRST
    return SUBSTITUTE_FIRST if _OTHERS.search(line) else None
