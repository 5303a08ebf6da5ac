"""Where the weights come from: volumes, mounts, environment, and what vLLM is given as its model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from controlplane.diagnostics import Diagnostic, Layer, Severity
from controlplane.policy.findings import finding
from controlplane.policy.model_service import KeyRef
from controlplane.policy.resolution.features import on_by_default
from controlplane.policy.resolution.setting import Setting, evidence
from controlplane.stack.facts import Derived, Fact, Known, derived
from controlplane.stack.pods import Claim, EmptyDir, EnvVar, ImageVolume, Mount, SecretKey, Volume

MODEL_PATH: Final = "/models"
CACHE_PATH: Final = "/cache"

_OFFLINE: Final = EnvVar(
    "HF_HUB_OFFLINE",
    Known("1", Derived("weights are mounted: a missing file fails at once instead of asking the hub")),
)


@dataclass(frozen=True, slots=True)
class Weights:
    """What a pod needs to read its weights. `revision` only for the hub."""

    model: Known[str]
    volumes: tuple[Volume, ...]
    mounts: tuple[Mount, ...]
    env: tuple[EnvVar, ...]
    revision: Fact[str] | None = None


def derive_weights(setting: Setting) -> tuple[Weights, list[Diagnostic]]:
    """Weights by source, and findings about keys that the source gives no meaning."""
    source = setting.spec.model.source
    if source.pvc is not None:
        return _from_claim(setting, source.pvc), [*_without_effect(setting, "the claim")]
    if source.image is not None:
        return _from_image(setting, source.image), [*_without_effect(setting, "the image"), *_too_old(setting)]
    secret = source.hub.secret if source.hub is not None else None
    return _from_hub(setting, secret), [*_path_on_hub(setting)]


def _from_claim(setting: Setting, claim: str) -> Weights:
    origin = setting.declared("spec", "model", "from", "pvc")
    volume = Volume("model", Known(Claim(claim, read_only=True), origin))
    return Weights(_inside(setting, setting.spec.model.name), (volume,), (_model_mount(),), (_OFFLINE,))


def _from_image(setting: Setting, image: str) -> Weights:
    origin = setting.declared("spec", "model", "from", "image")
    volume = Volume("model", Known(ImageVolume(image), origin))
    return Weights(_inside(setting, ""), (volume,), (_model_mount(),), (_OFFLINE,))


def _model_mount() -> Mount:
    return Mount("model", MODEL_PATH, read_only=True, origin=Derived("where the weights are read from"))


def _inside(setting: Setting, default: str) -> Known[str]:
    """The folder that vLLM is given, inside the mounted claim or image."""
    policy, model = setting.service.policy, setting.spec.model
    path = policy.fact(model.path, "spec", "model", "path")
    name = policy.fact(model.name, "spec", "model", "name")
    folder = model.path if model.path is not None else default
    full = f"{MODEL_PATH}/{folder}" if folder else MODEL_PATH
    said = "model.path" if model.path is not None else "model.name" if default else "the root"
    return derived(full, f"{said} inside the volume at {MODEL_PATH}", [("path", path), ("name", name)])


def _from_hub(setting: Setting, secret: KeyRef | None) -> Weights:
    policy, model = setting.service.policy, setting.spec.model
    name = Known(model.name, policy.declared("spec", "model", "name"))
    home = EnvVar("HF_HOME", Known(f"{CACHE_PATH}/huggingface", Derived("downloads go to the volume at /cache")))
    token = () if secret is None else (_token(setting, secret),)
    revision = policy.fact(model.revision, "spec", "model", "revision")
    mount = Mount("cache", CACHE_PATH, origin=Derived("where downloads are kept"))
    return Weights(name, (_cache(setting),), (mount,), (home, *token), revision)


def _token(setting: Setting, secret: KeyRef) -> EnvVar:
    origin = setting.declared("spec", "model", "from", "hub", "secret")
    return EnvVar("HF_TOKEN", Known(SecretKey(secret.name, secret.key), origin))


def _cache(setting: Setting) -> Volume:
    cache = setting.spec.model.cache
    if cache is not None:
        return Volume("cache", Known(Claim(cache.pvc), setting.declared("spec", "model", "cache", "pvc")))
    return Volume("cache", Known(EmptyDir(), Derived("no model.cache: downloads live and die with the pod")))


def _without_effect(setting: Setting, what: str) -> Iterator[Diagnostic]:
    """Keys that only the hub gives a meaning."""
    model = setting.spec.model
    for key, value in (("revision", model.revision), ("cache", model.cache)):
        if value is not None:
            path = ("spec", "model", key)
            yield finding(
                "policy/key-without-effect",
                f"model.{key} has no effect: the weights are read from {what}, and nothing is downloaded",
                setting.service.policy.document.key_span(path),
                path,
                f"Remove model.{key}, or take the weights from the hub.",
                severity=Severity.WARNING,
            )


def _path_on_hub(setting: Setting) -> Iterator[Diagnostic]:
    if setting.spec.model.path is not None:
        path = ("spec", "model", "path")
        yield finding(
            "policy/key-without-effect",
            "model.path has no effect: the hub's repository is taken whole",
            setting.service.policy.document.key_span(path),
            path,
            "Remove model.path.",
            severity=Severity.WARNING,
        )


def _too_old(setting: Setting) -> Iterator[Diagnostic]:
    """Image volumes need a feature gate that older clusters have off."""
    version = setting.fleet.spec.versions.kubernetes
    since = on_by_default("ImageVolume")
    if setting.certain and not since.reached_by(version):
        fact = setting.fleet.fact(version, "spec", "versions", "kubernetes")
        where = setting.declared("spec", "model", "from", "image")
        yield finding(
            "policy/feature-off",
            f"image volumes are on by default from Kubernetes {since}; Fleet `{setting.fleet.name}` has {version}",
            where.span,
            where.path,
            "Take the weights from a claim (`from: {pvc: …}`), or upgrade the cluster.",
            layer=Layer.KUBERNETES,
            evidence=(evidence("Kubernetes", fact),),
        )
