"""Kubeconfig files as kubectl reads them: which contexts there are, and the cluster and user entries of one."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from controlplane.adapters.errors import Misconfigured


@dataclass(frozen=True, slots=True)
class Entry:
    """A named entry of a kubeconfig. Relative paths in it start from `folder`, that of its file."""

    value: Mapping[str, Any]
    folder: Path

    def path(self, key: str) -> Path | None:
        """The file that the entry names under a key."""
        named = self.value.get(key)
        return self.folder / Path(str(named)).expanduser() if named else None


@dataclass(frozen=True, slots=True)
class Context:
    """One context with what it refers to, out of one or several files."""

    name: str
    files: tuple[Path, ...]
    cluster: Entry
    user: Entry


_NO_ENTRY = Entry({}, Path())


def files_of(kubeconfig: Path | None, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The kubeconfig files that exist: the given one, else those of KUBECONFIG, else ~/.kube/config."""
    if kubeconfig is not None:
        candidates = [kubeconfig]
    else:
        candidates = [Path(part) for part in default_location(environment).split(os.pathsep) if part]
    return tuple(path for path in (each.expanduser() for each in candidates) if path.exists())


def default_location(environment: Mapping[str, str]) -> str:
    return environment.get("KUBECONFIG") or "~/.kube/config"


def read_context(files: tuple[Path, ...], wanted: str | None) -> Context:
    """The wanted context, or the current one. Raises `Misconfigured`, with the contexts there are.

    Several files are merged as kubectl does it: of two entries with one name the first counts, and so does the first
    `current-context`.
    """
    current = ""
    sections: dict[str, dict[str, Entry]] = {"contexts": {}, "clusters": {}, "users": {}}
    for file in files:
        document = _read(file)
        current = current or str(document.get("current-context") or "")
        for section, entries in sections.items():
            for item in document.get(section) or ():
                entry = Entry(item.get(section.removesuffix("s")) or {}, file.parent)
                entries.setdefault(str(item.get("name")), entry)
    contexts = sections["contexts"]
    name = _chosen(tuple(contexts), wanted or current, files)
    context = contexts[name].value
    cluster = sections["clusters"].get(str(context.get("cluster")), _NO_ENTRY)
    user = sections["users"].get(str(context.get("user")), _NO_ENTRY)
    _require_usable(name, str(context.get("cluster")), cluster, user, files)
    return Context(name, files, cluster, user)


def _require_usable(name: str, cluster_name: str, cluster: Entry, user: Entry, files: tuple[Path, ...]) -> None:
    if not cluster.value.get("server"):
        raise Misconfigured(
            f"context {name!r} names the cluster {cluster_name!r}, for which {_joined(files)} has no server",
            remedy="Repair the context, or choose another with --context.",
        )
    impersonated = user.value.get("as")
    if impersonated:
        # Left out, we would act with the rights of the account behind it.
        raise Misconfigured(
            f"context {name!r} impersonates {impersonated!r} (as), which is not supported",
            remedy="Use a context with credentials of that account itself.",
        )


def _read(path: Path) -> Mapping[str, Any]:
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        document = yaml.load(path.read_bytes(), Loader=loader)  # noqa: S506 - a safe loader, by value
    except OSError as error:
        raise Misconfigured(
            f"the kubeconfig {path} cannot be read: {error.strerror}",
            remedy="Check the file's permissions, or name another with --kubeconfig.",
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        # Not chained: the parser's own text quotes the file, which holds credentials.
        raise Misconfigured(
            f"the kubeconfig {path} is not YAML{_place(error)}",
            remedy="Repair it, or name another with --kubeconfig.",
        ) from None
    if not isinstance(document, dict):
        raise Misconfigured(
            f"the kubeconfig {path} holds no mapping", remedy="Repair it, or name another with --kubeconfig."
        )
    return document


def _place(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" in line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""


def _chosen(names: tuple[str, ...], name: str, files: tuple[Path, ...]) -> str:
    listed = ", ".join(sorted(names)) or "none"
    if not name:
        raise Misconfigured(
            f"{_joined(files)} names no current context", remedy=f"Choose one with --context: {listed}."
        )
    if name in names:
        return name
    near = difflib.get_close_matches(name, names, n=1)
    suggestion = f"Did you mean {near[0]!r}? " if near else ""
    raise Misconfigured(f"{_joined(files)} has no context {name!r}", remedy=f"{suggestion}There are: {listed}.")


def _joined(files: tuple[Path, ...]) -> str:
    return ", ".join(str(file) for file in files)
