from __future__ import annotations

from controlplane.stack.facts import value_of
from controlplane.stack.references import ConfigMap
from tests.stack.manifests import read_text


def test_a_config_map_has_its_texts() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {port: '80', text: '${X}'}\n"
    (found,) = read_text(text).stack.references
    assert isinstance(found, ConfigMap)
    assert {key: value_of(fact) for key, fact in found.data.items()} == {"port": "80", "text": "${X}"}
