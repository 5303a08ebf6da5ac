from __future__ import annotations

from controlplane.source import parse_quantity
from controlplane.stack.facts import ABSENT, Unknown, value_of
from controlplane.stack.references import VolumeClaim
from tests.stack.manifests import at, read_text

CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: models, namespace: llm}
spec: {accessModes: [ReadWriteMany], volumeName: pv, resources: {requests: {storage: 1Ti}}}
"""


def test_a_claim_has_modes_size_and_class() -> None:
    (found,) = read_text(CLAIM).stack.references
    assert isinstance(found, VolumeClaim)
    assert (value_of(found.access_modes), value_of(found.size)) == (("ReadWriteMany",), parse_quantity("1Ti"))
    assert (found.storage_class, value_of(found.volume_name), found.owner) == (ABSENT, "pv", "")
    assert at(CLAIM, found.origin) == "models"


def test_a_templated_access_mode_makes_the_modes_unknown() -> None:
    (found,) = read_text(CLAIM.replace("ReadWriteMany", "'{{ .Values.mode }}'")).stack.references
    assert isinstance(found, VolumeClaim)
    assert isinstance(found.access_modes, Unknown)
