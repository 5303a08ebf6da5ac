"""A plan for programs."""

from __future__ import annotations

import json
from typing import Any

from controlplane.cli.views.findings_json import FORMAT_VERSION
from controlplane.plan.changes import Action, Change, ChangeSet, FieldChange
from controlplane.plan.redaction import redact_field


def render(changes: ChangeSet) -> str:
    """The whole plan as indented JSON, values redacted."""
    document = {
        "format_version": FORMAT_VERSION,
        "cluster_uid": changes.cluster_uid,
        "offline": changes.offline,
        "summary": {a.value: changes.count(a) for a in Action},
        "changes": [change_json(c) for c in changes.changes],
        "notes": list(changes.notes),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, default=str)


def change_json(change: Change) -> dict[str, Any]:
    """One object's change."""
    return {
        "object": str(change.ref),
        "service": change.service,
        "action": change.action.value,
        "reason": change.reason.value,
        "fields": [field_json(f) for f in change.fields],
        "foreign": [{"path": f.label, "manager": f.manager} for f in change.foreign],
        "conflicts": [{"path": c.label, "manager": c.manager} for c in change.conflicts],
        "consequences": list(change.consequences),
        "refusal": None
        if change.refusal is None
        else {"status": change.refusal.status, "reason": change.refusal.reason, "message": change.refusal.message},
    }


def field_json(field: FieldChange) -> dict[str, Any]:
    """One field's change, redacted."""
    return {
        "path": field.label,
        "action": field.action.value,
        "before": redact_field(field.label, field.before),
        "after": redact_field(field.label, field.after),
        "owners": list(field.owners),
        "origin": None if field.origin is None else str(field.origin),
    }
