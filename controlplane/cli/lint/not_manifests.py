"""Why a document is not judged, in words that say what to do."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

from controlplane.regex import regex

_NO_MANIFEST: Final = "no Kubernetes manifest: it has no apiVersion and kind"
_BY_NAME: Final = (
    (regex(r"(?:docker-)?compose(?:[.-].*)?\.ya?ml\Z"), "a Compose file, not a Kubernetes manifest"),
    (regex(r"(?:.*[.-])?values(?:[.-].*)?\.ya?ml\Z"), "values of a chart: lint the output of `helm template`"),
    (regex(r"Chart\.ya?ml\Z"), "describes a Helm chart: lint the output of `helm template`"),
    (regex(r"[Kk]ustomization(?:\.ya?ml)?\Z"), "a kustomization: lint the output of `kustomize build`"),
)
_KUSTOMIZATION: Final = "a kustomization: lint the output of `kustomize build`"
_BY_KIND: Final = {
    ("kustomize.config.k8s.io", "Kustomization"): _KUSTOMIZATION,
    ("kustomize.config.k8s.io", "Component"): _KUSTOMIZATION,
    ("kustomize.toolkit.fluxcd.io", "Kustomization"): "points at manifests: lint the output of `kustomize build`",
    ("helm.toolkit.fluxcd.io", "HelmRelease"): "installs a chart: lint the output of `helm template` with its values",
    ("argoproj.io", "Application"): "points at manifests: lint what it deploys (`argocd app manifests`)",
    ("argoproj.io", "ApplicationSet"): "points at manifests: lint what it deploys (`argocd app manifests`)",
}


def reason_of_name(name: str) -> str:
    """Why a document without apiVersion or kind is not judged, as far as the file's name tells."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.parent.name == "workflows" and path.parent.parent.name in {".github", ".gitea", ".forgejo"}:
        return "a workflow of a code forge, not a Kubernetes manifest"
    return next((reason for pattern, reason in _BY_NAME if pattern.match(path.name)), _NO_MANIFEST)


def reason_of_kind(group: str, kind: str) -> str:
    """Why an object of a kind without a reader is not judged."""
    article = "an" if kind[:1] in "AEIO" else "a"
    return _BY_KIND.get((group, kind), f"no rule looks at {article} {kind}" + (f" of {group}" if group else ""))
