"""The one redactor: it stands before every value, message and object that is shown, logged, stored or sent.

What it hides: the data of Secrets, the last-applied annotation (a second copy of the object), values of environment
variables, map entries and command-line flags with secret-like names, passwords in URLs, and text that looks like a
token wherever it stands. It hides by the place a value stands at, so it sees the whole object, and it would rather
hide too much: what is lost is a word on a screen.
"""

from __future__ import annotations

import base64
import binascii
import functools
import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from controlplane.diagnostics import KeyPath
from controlplane.regex import regex

if TYPE_CHECKING:
    # For types alone: what lints manifests shall not load all that writes them.
    from controlplane.emit.bundle import Manifest

REDACTED = "(redacted)"
REDACTED_BEFORE = "(redacted, before)"
REDACTED_AFTER = "(redacted, after)"
"""What stands for two hidden values that differ, so that a change never looks empty."""

_MARKER_START = "(redacted"

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_SECRET_WORDS = frozenset(
    {
        "token",
        "secret",
        "password",
        "passwd",
        "pwd",
        "passphrase",
        "credential",
        "credentials",
        "authorization",
        "apikey",
        "accesskey",
        "secretkey",
        "privatekey",
        "bearer",
    }
)
_KEY_OWNERS = frozenset({"api", "access", "private", "secret", "signing", "encryption", "auth", "account", "master"})
_POINTERS = frozenset(
    {
        "name",
        "path",
        "file",
        "dir",
        "directory",
        "ref",
        "mount",
        "ttl",
        "seconds",
        "expiration",
        "mode",
        "type",
        "url",
    }
)
"""Last words that make a name point at a secret instead of holding one: HF_TOKEN_PATH, secretName."""

_WORDS = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TOKENS = regex(
    r"""
    \bhf_[A-Za-z0-9]{6,}                              # Hugging Face
    | \bsk-[A-Za-z0-9_-]{8,}                          # OpenAI and those who copy it
    | \beyJ[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,2} # JSON web tokens
    | \bgh[pousr]_[A-Za-z0-9]{10,} | \bgithub_pat_[A-Za-z0-9_]{10,}
    | \bglpat-[A-Za-z0-9_-]{10,}
    | \bxox[abeoprs]-[A-Za-z0-9-]{8,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{12,}
    | \bnvapi-[A-Za-z0-9_-]{8,}
    | (?<=Bearer\ )[A-Za-z0-9._~+/=-]{6,}
    | -----BEGIN\ [A-Z\ ]*PRIVATE\ KEY-----[\s\S]*?(?:-----END\ [A-Z\ ]*PRIVATE\ KEY-----|\Z)
    """,
    re.VERBOSE,
)
_URL_PASSWORD = regex(r"(?<=://)[^/\s@:]*:[^/\s@]*(?=@)|(?<=://)[^/\s@:]{16,}(?=@)")
# A name begins where its run of characters begins and a value is looked at only behind a name that matters: of a long
# word, or of `a=a=a=...`, every part would otherwise be tried with all that follows.
_ASSIGNMENT = regex(r"""(?<![\w.-])(?P<name>[\w.-]+)\\*["']?\s*[:=]\s*""")
_ASSIGNED = regex(r"""\\+["'][^"'\\]*\\+["']|"[^"]*"|'[^']*'|[^\s,;"'}\\]+""")
_FLAG = regex(r"""(?<![\w-])--?(?P<name>[A-Za-z][\w-]*)["']?(?:\\?[ \t\n,])+["']?""")
_FLAG_VALUE = regex(r"""[^\s"',\\-][^\s"',\]]*""")
_SUSPECT = regex(
    r"(?i)token|secret|pass|pwd|credential|authoriz|bearer|key|hf_|sk-|eyj|gh[pousr]_|github_pat|glpat|xox|akia|asia|nvapi"
    r"|://|-----begin"
)
"""Of the texts in which anything is hidden, each has one of these."""
_SERVER_VALUE = regex(r"valueUnstructured\{Value:[^}]*\}|Invalid value: (?:\"(?:[^\"\\]|\\.)*\"|\S+?(?=:\s|$))")
_VARIABLE_LABEL = regex(r"\[name=(?P<name>[^\]]+)\]\.value\Z")
_SHORTEST_HIDDEN = 4


@functools.lru_cache(maxsize=4096)
def names_secret(name: str) -> bool:
    """Whether a variable, flag or map key of this name holds a secret, by the words it is made of."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words or words[-1] in _POINTERS:
        return False
    if _SECRET_WORDS.intersection(words):
        return True
    return any(one in _KEY_OWNERS and other == "key" for one, other in itertools.pairwise(words))


def redact_text(text: str, *objects: Manifest | None) -> str:
    """A message without secrets; values that `objects` hide are hidden in it too, whatever they look like.

    API servers and webhooks echo values in their refusals, of invalid Secrets as well (CVE-2025-23216).
    """
    if any(found is not None and found.get("kind") == "Secret" for found in objects):
        text = _SERVER_VALUE.sub(REDACTED, text)
    for hidden in sorted({h for found in objects for h in hidden_values(found)}, key=lambda h: (-len(h), h)):
        text = text.replace(hidden, REDACTED)
    return _redact_plain(text)


def secret_parts(text: str) -> list[tuple[int, int]]:
    """Where in a text something stands that `redact_text` hides: start and end of each."""
    if _SUSPECT.search(text) is None:
        return []
    found = [match.span() for pattern in (_URL_PASSWORD, _TOKENS) for match in pattern.finditer(text)]
    for names, values in ((_FLAG, _FLAG_VALUE), (_ASSIGNMENT, _ASSIGNED)):
        found += [match.span() for match in _named_secrets(names, values, text)]
    return sorted(found)


def redact_object(manifest: Manifest) -> Manifest:
    """A copy of an object that may be shown."""
    shown: Manifest = _redact(manifest, (), manifest)
    return shown


def redact_at(manifest: Manifest | None, path: KeyPath, value: Any) -> Any:
    """The value of the field at `path` of `manifest`, as it may be shown."""
    return _redact(value, path, manifest or {})


def redact_field(label: str, value: Any) -> Any:
    """A field's value by its label alone, for views that have no object: what `redact_at` has hidden stays hidden."""
    variable = _VARIABLE_LABEL.search(label)
    last = variable["name"] if variable else re.split(r"[.\[\]]", label.rstrip("]"))[-1]
    named = names_secret_variable(last) if variable else names_secret(last)
    if isinstance(value, str | int | float) and not isinstance(value, bool) and named:
        return value if isinstance(value, str) and value.startswith(_MARKER_START) else REDACTED
    return _redact(value, (), {})


def hidden_values(manifest: Manifest | None) -> Iterator[str]:
    """Every text in an object that is hidden because of where it stands, and what it decodes to."""
    if manifest is None:
        return
    for path, value in _scalars(manifest, ()):
        if isinstance(value, bool) or value is None or not _hidden_place(manifest, path):
            continue
        for text in (str(value), *_decoded(str(value)), _encoded(str(value))):
            if len(text) >= _SHORTEST_HIDDEN:
                yield from (text, *_quoted(text))


def _quoted(text: str) -> Iterator[str]:
    """How a text stands inside JSON, JSON inside JSON, and Python's own quoting."""
    once = json.dumps(text)[1:-1]
    yield from (once, json.dumps(once)[1:-1], repr(text)[1:-1])


def _decoded(text: str) -> Iterator[str]:
    try:
        yield base64.b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        return


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _scalars(node: Any, path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    if isinstance(node, Mapping):
        for key, value in node.items():
            yield from _scalars(value, (*path, key))
    elif isinstance(node, list | tuple):
        for index, value in enumerate(node):
            yield from _scalars(value, (*path, index))
    else:
        yield path, node


def _redact(node: Any, path: KeyPath, root: Manifest) -> Any:
    if isinstance(node, Mapping):
        return {key: _redact(value, (*path, key), root) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return _redact_list(node, path, root)
    if node is None or isinstance(node, bool):
        return node
    if _hidden_place(root, path):
        return REDACTED
    return _redact_plain(node) if isinstance(node, str) else node


def _redact_list(items: Sequence[Any], path: KeyPath, root: Manifest) -> list[Any]:
    """Lists carry their context with them: environment variables by name, arguments by the flag before them."""
    shown = [_redact(item, (*path, index), root) for index, item in enumerate(items)]
    for index, item in enumerate(items):
        if _is_variable(item) and item.get("value") is not None:
            shown[index]["value"] = REDACTED
        if isinstance(item, str) and index and _is_bare_secret_flag(items[index - 1]) and not item.startswith("-"):
            shown[index] = REDACTED
    return shown


def _is_variable(item: Any) -> bool:
    return isinstance(item, Mapping) and isinstance(item.get("name"), str) and names_secret_variable(item["name"])


def names_secret_variable(name: str) -> bool:
    """As `names_secret`; for variables a last word KEY is enough (VLLM_KEY)."""
    return names_secret(name) or name.upper().endswith("_KEY")


def _is_bare_secret_flag(item: Any) -> bool:
    return isinstance(item, str) and item.startswith("-") and "=" not in item and names_secret(item)


def _hidden_place(root: Manifest, path: KeyPath) -> bool:
    """Whether whatever stands at this place of this object is a secret."""
    if not path:
        return False
    if root.get("kind") == "Secret" and path[0] in ("data", "stringData"):
        return True
    name = path[-1]
    if name == LAST_APPLIED:
        return True
    if name == "value" and _is_variable(_at(root, path[:-1])):
        return True
    if isinstance(name, int):
        items = _at(root, path[:-1])
        return isinstance(items, list) and 0 < name < len(items) and _follows_secret_flag(items, name)
    return names_secret(name)


def _follows_secret_flag(items: Sequence[Any], index: int) -> bool:
    item = items[index]
    return isinstance(item, str) and not item.startswith("-") and _is_bare_secret_flag(items[index - 1])


def _at(root: Any, path: KeyPath) -> Any:
    node = root
    for step in path:
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            return None
    return node


def _redact_plain(text: str) -> str:
    text = _URL_PASSWORD.sub(REDACTED, text)
    text = _TOKENS.sub(REDACTED, text)
    return _hide_named(_ASSIGNMENT, _ASSIGNED, _hide_named(_FLAG, _FLAG_VALUE, text))


def _hide_named(names: re.Pattern[str], values: re.Pattern[str], text: str) -> str:
    """Hide the values of secret-like names. What stands as a value may be a name itself: `cause: token=abc`."""
    shown, position = [], 0
    for match in _named_secrets(names, values, text):
        shown += [text[position : match.start()], REDACTED]
        position = match.end()
    return "".join([*shown, text[position:]])


def _named_secrets(names: re.Pattern[str], values: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The values behind names that hold secrets."""
    position = 0
    while (name := names.search(text, position)) is not None:
        position = name.end()
        value = values.match(text, position) if names_secret_variable(name["name"]) else None
        if value is not None:
            yield value
            position = value.end()
