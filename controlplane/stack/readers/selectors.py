"""Label selectors: `matchLabels` and `matchExpressions`."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.stack.facts import ABSENT, Fact, Known, Unknown, Why
from controlplane.stack.manifest_fields import Field


def read(selector: Field) -> Fact[Mapping[str, str]]:
    """A selector as the labels it wants; unknown where it says more than labels can."""
    labels, exact = labels_of(selector)
    if not exact:
        return Unknown(Why.UNRESOLVED, "a selector of labels alone; matchExpressions are not read")
    return Known(labels, selector.origin) if labels else ABSENT


def labels_of(selector: Field) -> tuple[Mapping[str, str], bool]:
    """The labels that a selector wants with one value each, and whether that is all it says."""
    labels = selector["matchLabels"].text_map()
    exact = True
    for item in selector["matchExpressions"].items():
        values = [value.value for value in item["values"].items()]
        key = item["key"].plain_text()
        if item["operator"].value == "In" and len(values) == 1 and isinstance(values[0], str) and key not in labels:
            labels[key] = values[0]
        else:
            exact = False
    return labels, exact
