"""The environment variables of a container."""

from __future__ import annotations

from controlplane.stack.facts import Fact, Known, Unknown, Why
from controlplane.stack.manifest_fields import Field
from controlplane.stack.pods import ConfigKey, EnvVar, FieldPath, SecretKey

_Value = str | SecretKey | ConfigKey | FieldPath


def read(container: Field) -> tuple[EnvVar, ...]:
    """`env` in its order. What `envFrom` brings in has no names here."""
    return tuple(
        EnvVar(item["name"].plain_text(), _value(item), item["name"].origin) for item in container["env"].items()
    )


def _value(item: Field) -> Fact[_Value]:
    source = item["valueFrom"]
    if not source.is_set:
        literal = item["value"].literal()
        return literal if item["value"].is_set else Known("", item.origin)  # type: ignore[return-value]  # wider
    if source["secretKeyRef"].is_set:
        return Known(SecretKey(*_key(source["secretKeyRef"])), source.origin)
    if source["configMapKeyRef"].is_set:
        return Known(ConfigKey(*_key(source["configMapKeyRef"])), source.origin)
    if source["fieldRef"].is_set:
        return Known(FieldPath(source.at("fieldRef", "fieldPath").plain_text()), source.origin)
    return Unknown(Why.RUNTIME, "a value, a Secret's or ConfigMap's key, or a field of the pod")


def _key(reference: Field) -> tuple[str, str, bool]:
    return reference["name"].plain_text(), reference["key"].plain_text(), reference["optional"].is_true()
