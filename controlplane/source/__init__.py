"""YAML text to documents whose every key, value and alias use has its exact place.

Also the small languages inside scalars: quantities and durations. Pure: adapters read files, this package bytes.
"""

from __future__ import annotations

from controlplane.source.budget import Budget
from controlplane.source.dialect import Dialect, Scalar, Value
from controlplane.source.document import Document, Place, ReadResult
from controlplane.source.duration import DurationError, parse_duration, parse_go_duration
from controlplane.source.embedded import Embedded, embedded, read_embedded_yaml
from controlplane.source.excerpt import excerpt, printable, split_lines
from controlplane.source.quantity import Quantity, QuantityError, parse_quantity
from controlplane.source.reader import read_yaml
from controlplane.source.suggest import nearest

__all__ = [
    "Budget",
    "Dialect",
    "Document",
    "DurationError",
    "Embedded",
    "Place",
    "Quantity",
    "QuantityError",
    "ReadResult",
    "Scalar",
    "Value",
    "embedded",
    "excerpt",
    "nearest",
    "parse_duration",
    "parse_go_duration",
    "parse_quantity",
    "printable",
    "read_embedded_yaml",
    "read_yaml",
    "split_lines",
]
