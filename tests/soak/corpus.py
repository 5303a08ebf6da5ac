"""Manifests to begin from: every rule's examples, the good manifests of the mutations, and folders that are named."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from controlplane.rules import catalogue
from tests.mutations.slots import rendered, template

_GOOD = Path(__file__).parents[1] / "mutations" / "good"
_LARGEST_CHARACTERS = 20_000


def texts(folders: Iterable[str] = ()) -> list[str]:
    """The texts of all manifests there are to begin from, each at most 20 KB."""
    found = [*_examples(), *(rendered(template(path.stem), {}).text for path in sorted(_GOOD.glob("*.yaml")))]
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.y*ml")):
            text = path.read_text(encoding="utf-8", errors="replace")
            found += [text] if "apiVersion" in text else []
    return [text[:_LARGEST_CHARACTERS] for text in found]


def trees(some_texts: Iterable[str]) -> list[list[Any]]:
    """The documents of each text that a plain reader takes, as values."""
    return [documents for text in some_texts if (documents := _documents(text))]


def _examples() -> Iterator[str]:
    for entry in catalogue():
        for text in (*entry.rule.bad, *entry.rule.good):
            yield textwrap.dedent(text).lstrip("\n")


def _documents(text: str) -> list[Any]:
    try:
        return [document for document in yaml.load_all(text, yaml.CSafeLoader) if isinstance(document, dict)]
    except (yaml.YAMLError, ValueError):
        return []
