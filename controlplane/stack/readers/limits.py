"""ResourceQuota and LimitRange v1: what a namespace may ask for."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.source import Quantity
from controlplane.stack.facts import Fact
from controlplane.stack.manifest_fields import Field
from controlplane.stack.readers import metadata
from controlplane.stack.references import LimitRange, LimitRangeItem, ResourceQuota


def read_quota(manifest: Field) -> ResourceQuota:
    """The quota of a manifest, with its scopes in words."""
    spec = manifest["spec"]
    scopes = [item.plain_text() for item in spec["scopes"].items()]
    selectors = [_scope(item) for item in spec.at("scopeSelector", "matchExpressions").items()]
    return ResourceQuota(
        ref=metadata.reference(manifest),
        hard=_amounts(spec["hard"]),
        scopes=(*scopes, *selectors),
        origin=metadata.name_origin(manifest),
    )


def read_limit_range(manifest: Field) -> LimitRange:
    """The limits of a manifest."""
    items = tuple(_item(item) for item in manifest.at("spec", "limits").items())
    return LimitRange(metadata.reference(manifest), items, metadata.name_origin(manifest))


def _scope(item: Field) -> str:
    values = [str(value.value) for value in item["values"].items()]
    return " ".join([item["scopeName"].plain_text(), item["operator"].plain_text(), *values])


def _item(item: Field) -> LimitRangeItem:
    return LimitRangeItem(
        type=item["type"].plain_text(),
        min=_amounts(item["min"]),
        max=_amounts(item["max"]),
        default=_amounts(item["default"]),
        default_request=_amounts(item["defaultRequest"]),
        origin=item.origin,
    )


def _amounts(amounts: Field) -> Mapping[str, Fact[Quantity]]:
    return {name: amount.quantity() for name, amount in amounts.entries()}
