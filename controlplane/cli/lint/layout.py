"""What the folders say about files: templates of Helm charts, and parts that a kustomization puts together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controlplane.frozen import frozen
from controlplane.source import Dialect, read_yaml

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_CHARTS = ("Chart.yaml", "Chart.yml")
_LARGEST_KUSTOMIZATION_BYTES = 1024 * 1024
_WHOLE_OBJECTS = frozenset({"resources", "bases", "crds"})
"""Fields of a kustomization that name complete manifests; files under any other are parts of something."""

_BUILT_ON = ("resources", "bases", "components")
_LEAVES_AS_IT_IS = _WHOLE_OBJECTS | {
    *("apiVersion", "kind", "metadata", "namespace", "labels", "commonLabels", "commonAnnotations"),
    *("configMapGenerator", "secretGenerator", "generatorOptions", "openapi", "buildMetadata", "sortOptions"),
}
"""Fields that change nothing in the objects that a rule looks at; patches, images, replicas and names do."""


@frozen
class _Kustomization:
    """What one says: the files that it takes as parts, the paths that it builds on, and whether it changes these."""

    parts: frozenset[str] = frozenset()
    builds_on: frozenset[str] = frozenset()
    changes: bool = False


@dataclass(slots=True)
class Layout:
    """Asks the folders above files, each folder once."""

    _charts: dict[Path, bool] = field(default_factory=dict)
    _looked: set[Path] = field(default_factory=set)
    _parts: dict[str, Path] = field(default_factory=dict)
    _builders: dict[str, list[Path]] = field(default_factory=dict)
    _changing: set[Path] = field(default_factory=set)

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

    def changed_by(self, name: str) -> str | None:
        """The folder of a kustomization that builds on a file, directly or by another one, and changes what is there.

        Its objects are not those that are applied. Known are the same ones as for `kustomization_of`. A file that
        only kustomizations of other folders take is a manifest by itself too: a base has one of its own.
        """
        path = _whole(Path(name))
        above = Path(path).parents
        for folder in above:
            self._look(folder)
        seen: set[Path] = set()
        pending = [folder for folder in self._builders.get(path, ()) if folder in above]
        while pending:
            folder = pending.pop(0)
            if folder in self._changing:
                return _shown(folder)
            if folder not in seen:
                seen.add(folder)
                pending += self._builders.get(str(folder), ())
        return None

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
            found = _kustomization_in(folder)
            for part in sorted(found.parts):
                self._parts.setdefault(part, folder)
            for path in sorted(found.builds_on):
                self._builders.setdefault(path, []).append(folder)
            if found.changes:
                self._changing.add(folder)


def _kustomization_in(folder: Path) -> _Kustomization:
    """What the kustomization of a folder says; nothing where there is none, or it cannot be read."""
    kustomization = next((path for name in _KUSTOMIZATIONS if (path := folder / name).is_file()), None)
    if kustomization is None:
        return _Kustomization()
    try:
        with kustomization.open("rb") as file:
            data = file.read(_LARGEST_KUSTOMIZATION_BYTES)
    except OSError:
        return _Kustomization()
    documents = read_yaml(data, str(kustomization), Dialect.KUBERNETES).documents
    return next((_said(folder, d.value) for d in documents if isinstance(d.value, dict)), _Kustomization())


def _said(folder: Path, fields: dict[str, Any]) -> _Kustomization:
    whole = _paths(folder, (fields.get(key) for key in _WHOLE_OBJECTS))
    return _Kustomization(
        parts=_paths(folder, (value for key, value in fields.items() if key not in _WHOLE_OBJECTS)) - whole,
        builds_on=_paths(folder, (fields.get(key) for key in _BUILT_ON)),
        changes=any(value for key, value in fields.items() if key not in _LEAVES_AS_IT_IS),
    )


def _paths(folder: Path, values: Iterable[Any]) -> frozenset[str]:
    return frozenset(_whole(folder / text) for value in values for text in _texts(value))


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
