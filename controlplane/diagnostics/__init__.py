"""What is wrong, where, why and what to do about it: the one shape every finding has.

Everything that judges a user's input returns `Diagnostic` values; nothing here imports the rest of the program.
"""

from __future__ import annotations

from controlplane.diagnostics.diagnostic import (
    Applicability,
    Diagnostic,
    Edit,
    Evidence,
    Layer,
    RelatedSpan,
    Remedy,
    Severity,
    has_errors,
)
from controlplane.diagnostics.span import KeyPath, Span, render_path

__all__ = [
    "Applicability",
    "Diagnostic",
    "Edit",
    "Evidence",
    "KeyPath",
    "Layer",
    "RelatedSpan",
    "Remedy",
    "Severity",
    "Span",
    "has_errors",
    "render_path",
]
