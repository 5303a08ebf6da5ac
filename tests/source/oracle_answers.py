"""The recorded answers of the real readers (`oracle/make_fixtures.py`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


def answers(name: str) -> list[dict[str, Any]]:
    """The answers of one fixture: each has `text`, and an answer or an `error`."""
    rows: list[dict[str, Any]] = json.loads((_HERE / f"{name}.json").read_text())["answers"]
    return rows
