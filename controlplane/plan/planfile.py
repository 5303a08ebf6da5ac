"""The plan file: a whole plan as JSON, to be applied later exactly as it was shown.

It holds manifests (with references to secrets, never their values), the changes as they were displayed, the
preconditions and the digests of the policies. An integrity digest over everything else finds damage and edits; it is
no signature. Writing the same plan gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any

from controlplane import __version__
from controlplane.plan.changes import ChangeSet
from controlplane.plan.codec import CodecError, decode, encode

FORMAT = "controlplane-plan"
FORMAT_VERSION = "1.0"
"""Same major: readable. A minor adds keys that older readers may leave out."""

MAX_BYTES = 64 * 1024 * 1024
"""A plan of a thousand objects has about 20 MB."""

_VERSION = re.compile(r"(?P<major>[0-9]{1,6})\.(?P<minor>[0-9]{1,6})\Z")


class PlanFileError(Exception):
    """A file that is no plan, is damaged, or is from a version that cannot be read here. `remedy` says what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan as it was saved, by which version of the program, and the file's integrity digest."""

    changes: ChangeSet
    tool_version: str
    format_version: str
    digest: str


def plan_digest(changes: ChangeSet) -> str:
    """What an approval or a rollout refers to: the integrity digest that a file with this plan has."""
    return _integrity(_content(changes, __version__))


def write_plan(changes: ChangeSet) -> str:
    """The text of a plan file."""
    content = _content(changes, __version__)
    return (
        json.dumps({**content, "integrity": _integrity(content)}, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    )


def read_plan(data: bytes | str) -> PlanFile:
    """Read a plan file. Raises PlanFileError, whatever the bytes are."""
    content = _parse(data)
    version = _readable_version(content)
    given = content.pop("integrity", None)
    digest = _integrity(content)
    if given != digest:
        raise PlanFileError(
            "The plan file was changed after it was written: its integrity digest does not match.",
            "Plan again and leave the file as it is.",
        )
    try:
        changes = decode(ChangeSet, content.get("plan"))
    except (CodecError, RecursionError) as error:
        raise _damaged(str(error)) from error
    return PlanFile(changes, str(content.get("tool_version", "")), version, digest)


def _content(changes: ChangeSet, tool_version: str) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "tool_version": tool_version,
        "plan": encode(changes),
    }


def _integrity(content: dict[str, Any]) -> str:
    try:
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    except (RecursionError, UnicodeEncodeError, ValueError) as error:
        raise _damaged("its values cannot be written again") from error


def _parse(data: bytes | str) -> dict[str, Any]:
    if len(data) > MAX_BYTES:
        raise PlanFileError(
            f"The plan file has {len(data)} bytes; {MAX_BYTES} are read.", "Name a file that `plan -o` wrote."
        )
    try:
        text = data if isinstance(data, str) else data.decode()
        content = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _damaged(_why(error)) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise PlanFileError("The file is not a plan.", "Name a file that `plan -o` wrote.")
    return content


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"it is no JSON at line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _readable_version(content: dict[str, Any]) -> str:
    version = content.get("format_version")
    match = _VERSION.match(version) if isinstance(version, str) else None
    if match is None:
        raise _damaged("its format_version is not a version")
    if match["major"] != FORMAT_VERSION.partition(".")[0]:
        raise PlanFileError(
            f"The plan file has format {version}; version {__version__} of controlplane reads {FORMAT_VERSION}.",
            f"Apply it with the version that wrote it ({content.get('tool_version', 'unknown')}), or plan again.",
        )
    return str(version)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _damaged(why: str) -> PlanFileError:
    return PlanFileError(f"The plan file is damaged: {why}.", "Plan again.")
