"""What the folders say about files: templates of Helm charts, and parts that a kustomization puts together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controlplane.source import Dialect, read_yaml

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_CHARTS = ("Chart.yaml", "Chart.yml")
_LARGEST_KUSTOMIZATION_BYTES = 1024 * 1024
_WHOLE_OBJECTS = frozenset({"resources", "bases", "crds"})
"""Fields of a kustomization that name complete manifests; files under any other are parts of something."""


@dataclass(slots=True)
class Layout:
    """Asks the folders above files, each folder once."""

    _charts: dict[Path, bool] = field(default_factory=dict)
    _looked: set[Path] = field(default_factory=set)
    _parts: dict[str, Path] = field(default_factory=dict)

    def chart_of(self, name: str) -> str | None:
        """The chart whose template a file is: the folder that has `templates` beside Chart.yaml."""
        for folder in Path(name).absolute().parents:
            if folder.name == "templates" and self._is_chart(folder.parent):
                return _shown(folder.parent)
        return None

    def kustomization_of(self, name: str) -> str | None:
        """The folder of a kustomization that lists a file as a patch or another part, and not as a resource.

        Known are those above the file, and those that `learn` was told of.
        """
        path = _whole(Path(name))
        for folder in Path(path).parents:
            self._look(folder)
        return _shown(self._parts[path]) if path in self._parts else None

    def learn(self, names: Iterable[str]) -> None:
        """Look at the kustomizations among some files: one may list parts in folders beside its own."""
        for name in names:
            if name.endswith(_KUSTOMIZATIONS):
                self._look(Path(_whole(Path(name))).parent)

    def _is_chart(self, folder: Path) -> bool:
        if folder not in self._charts:
            self._charts[folder] = any((folder / name).is_file() for name in _CHARTS)
        return self._charts[folder]

    def _look(self, folder: Path) -> None:
        if folder not in self._looked:
            self._looked.add(folder)
            for part in sorted(_parts_listed_in(folder)):
                self._parts.setdefault(part, folder)


def _parts_listed_in(folder: Path) -> Iterator[str]:
    kustomization = next((path for name in _KUSTOMIZATIONS if (path := folder / name).is_file()), None)
    if kustomization is None:
        return
    try:
        with kustomization.open("rb") as file:
            data = file.read(_LARGEST_KUSTOMIZATION_BYTES)
    except OSError:
        return
    for document in read_yaml(data, str(kustomization), Dialect.KUBERNETES).documents:
        if isinstance(document.value, dict):
            whole = {_whole(folder / text) for key in _WHOLE_OBJECTS for text in _texts(document.value.get(key))}
            listed = (v for key, v in document.value.items() if key not in _WHOLE_OBJECTS)
            yield from ({_whole(folder / text) for value in listed for text in _texts(value)} - whole)


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value that may be a path; `NAME=PATH` of a generator is its path."""
    if isinstance(value, str):
        if "\n" not in value and "\0" not in value:
            yield value.rpartition("=")[2]
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _whole(path: Path) -> str:
    return os.path.normpath(path.absolute())


def _shown(folder: Path) -> str:
    """The folder as the user would write it."""
    here = Path.cwd()
    return str(folder.relative_to(here)) if folder.is_relative_to(here) else str(folder)
