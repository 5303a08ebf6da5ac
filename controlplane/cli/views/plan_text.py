"""A plan for people, in the order in which it would be applied.

    + create   ~ change   - delete   -/+ replace   ? cannot compare

Only symbols that occur are explained. Field values are redacted before they get here or by `redact`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from controlplane.cli.terminal import paint, printable
from controlplane.plan.changes import Action, Change, ChangeSet, FieldAction, FieldChange
from controlplane.plan.redaction import redact_field
from controlplane.stack.facts import Declared, Origin

_SYMBOL = {
    Action.CREATE: ("+", "green", "create"),
    Action.UPDATE: ("~", "yellow", "change"),
    Action.REPLACE: ("-/+", "red", "replace"),
    Action.DELETE: ("-", "red", "delete"),
    Action.CANNOT_COMPARE: ("?", "magenta", "cannot compare"),
    Action.UNCHANGED: ("=", "dim", "unchanged"),
}
_FIELD = {
    FieldAction.ADDED: ("+", "green"),
    FieldAction.CHANGED: ("~", "yellow"),
    FieldAction.REMOVED: ("-", "red"),
}
_VALUE_WIDTH = 60


def render(changes: ChangeSet, *, colour: bool, show_foreign: bool = False) -> str:
    """The whole plan as text, ending in the one line that counts."""
    shown = changes.effective()
    blocks = [_change(c, colour=colour, show_foreign=show_foreign) for c in shown]
    if show_foreign:
        blocks += [
            _foreign_only(c, colour=colour) for c in changes.changes if c.action is Action.UNCHANGED and c.foreign
        ]
    notes = [f"note: {printable(n)}" for n in changes.notes]
    head = [_legend(shown)] if shown else []
    return "\n".join([*head, *blocks, *notes, counts(changes)])


def counts(changes: ChangeSet) -> str:
    """The summary line."""
    if not changes.effective():
        where = "the Fleet" if changes.offline else "the cluster"
        return f"No changes. {len(changes.changes)} objects in {where} are as the policies say."
    parts = [
        f"{changes.count(a)} to {_SYMBOL[a][2]}"
        for a in (Action.CREATE, Action.UPDATE, Action.REPLACE, Action.DELETE)
    ]
    parts.append(f"{changes.count(Action.UNCHANGED)} unchanged")
    if changes.count(Action.CANNOT_COMPARE):
        parts.append(f"{changes.count(Action.CANNOT_COMPARE)} cannot be compared")
    return f"Plan: {', '.join(parts)}."


def _legend(shown: Iterable[Change]) -> str:
    present = {c.action for c in shown}
    return "  ".join(f"{s} {word}" for a, (s, _, word) in _SYMBOL.items() if a in present) + "\n"


def _change(change: Change, *, colour: bool, show_foreign: bool) -> str:
    symbol, style, _ = _SYMBOL[change.action]
    lines = [paint(f"{symbol:>3} {printable(str(change.ref))}", style, colour=colour) + _reason(change)]
    if change.action is not Action.CREATE:
        lines += [_field(f, colour=colour) for f in change.fields if f.action is not FieldAction.ADOPTED]
        lines += _adopted(change, colour=colour)
    lines += [f"      ! {printable(c)}" for c in change.consequences]
    lines += [f"      ! admission changes this too: {printable(f.label)}" for f in change.side_effects]
    lines += [f"      ! {printable(o.message)}" for o in change.overruled]
    lines += [_conflict(c.label, c.manager, colour=colour) for c in change.conflicts]
    if change.refusal is not None:
        lines.append(
            f"      refused ({change.refusal.status} {change.refusal.reason}): {printable(change.refusal.message)}"
        )
    if show_foreign:
        lines += _foreign(change)
    return "\n".join(lines)


def _reason(change: Change) -> str:
    return "" if change.action in (Action.CREATE, Action.UPDATE) else f"  ({change.reason.value})"


def _conflict(label: str, manager: str, *, colour: bool) -> str:
    text = f"      ! {printable(label)} is held by {printable(manager)}: needs --force-conflicts to take it"
    return paint(text, "magenta", colour=colour)


def _foreign(change: Change) -> list[str]:
    return [f"        {printable(f.label)} is {printable(f.manager)}'s and stays" for f in change.foreign]


def _foreign_only(change: Change, *, colour: bool) -> str:
    return "\n".join([paint(f"  = {printable(str(change.ref))}", "dim", colour=colour), *_foreign(change)])


def _field(field: FieldChange, *, colour: bool) -> str:
    symbol, style = _FIELD[field.action]
    before, after = shown_value(field.label, field.before), shown_value(field.label, field.after)
    value = {
        FieldAction.ADDED: after,
        FieldAction.REMOVED: f"{before} -> default {after}" if field.after is not None else before,
        FieldAction.CHANGED: _list_change(field) or f"{before} -> {after}",
    }[field.action]
    text = paint(f"      {symbol} {printable(field.label)}: ", style, colour=colour) + value
    return text + paint(_source(field.origin), "dim", colour=colour)


def _adopted(change: Change, *, colour: bool) -> list[str]:
    """One line: an adopted object has some eighty fields, and none of their values changes."""
    count = sum(f.action is FieldAction.ADOPTED for f in change.fields)
    if not count:
        return []
    what = f"{count} fields are" if count > 1 else "1 field is"
    text = f"      = {what} as the policies say already, and become ours"
    return [paint(text, "cyan", colour=colour)]


def _list_change(field: FieldChange) -> str:
    """What left a list and what came in; empty where that says less than both values."""
    if not isinstance(field.before, list) or not isinstance(field.after, list):
        return ""
    gone = [item for item in field.before if item not in field.after]
    new = [item for item in field.after if item not in field.before]
    if len(gone) == len(field.before) or len(new) == len(field.after):
        return ""
    shown = [" ".join(shown_value(field.label, item) for item in items) for items in (gone, new)]
    if gone and new:
        return f"{shown[0]} -> {shown[1]}"
    if gone:
        return f"without {shown[0]}"
    return f"with {shown[1]}" if new else "the same items, in another order or number"


def _source(origin: Origin | None) -> str:
    if origin is None:
        return ""
    return f"   [{printable(str(origin))}]" if isinstance(origin, Declared) else f"   [{printable(str(origin))[:80]}]"


def shown_value(label: str, value: Any) -> str:
    """A field's value on one line, redacted and not longer than the line allows."""
    text = printable(json.dumps(redact_field(label, value), ensure_ascii=False, default=str))
    return text if len(text) <= _VALUE_WIDTH else text[: _VALUE_WIDTH - 3] + "..."
