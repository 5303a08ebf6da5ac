"""Words with a grammar of their own: images, models, extended resources, taints, variables, keys of Secrets.

The API server takes most of them as any text; they fail later, in a kubelet or an engine, where nobody looks first.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from controlplane.policy.vocabulary import LABEL_WORD, SUBDOMAIN, refused

_IMAGE: Final = (
    r"^([a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]+)?/)?"
    r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*"
    r"(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?$"
)
"""A reference as containerd parses it (distribution/reference), digests by SHA-256."""

_MODEL: Final = r"^[^\s/-][^\s]*$"
_VARIABLE: Final = r"^[A-Za-z_][A-Za-z0-9_.-]*$"
_KEY: Final = r"^[-._a-zA-Z0-9]+$"
_RESOURCE: Final = r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$"
_TAINT: Final = re.compile(r"(?P<key>[^=:\s]+)(=(?P<value>[^=:\s]*))?:(?P<effect>\w+)")


def _is_image(value: str) -> str:
    if re.fullmatch(_IMAGE, value):
        return value
    scheme, separator, rest = value.partition("://")
    if separator:
        raise refused(f"{value!r} begins with {scheme}://, which a reference has not", f"Write {rest.strip()}.")
    if value != value.strip():
        raise refused(f"{value!r} has white space around it", f"Write {value.strip()}.")
    raise refused(
        f"{value!r} is no reference of an image; a kubelet stops at InvalidImageName",
        "Write registry/repository:tag, or @sha256: with 64 digits; only the tag may have capitals.",
    )


def _is_model(value: str) -> str:
    if value.startswith("-"):
        raise refused(f"{value!r} begins with -, so `vllm serve` reads it as a flag", "Write the name of a model.")
    if not re.fullmatch(_MODEL, value) or not value.isprintable() or ".." in value.split("/"):
        raise refused(
            f"{value!r} is no name of a model (no spaces, no / in front, no ..)",
            "Write the name that the hub has, such as meta-llama/Llama-3.1-8B-Instruct; a folder is `model.path`.",
        )
    return value


def _is_served_name(value: str) -> str:
    if not value.isprintable() or value != value.strip():
        raise refused(f"{value!r} has characters that no client sends", "Write the name without them.")
    return value


def _is_variable(value: str) -> str:
    if not re.fullmatch(_VARIABLE, value):
        # What stands here may be `NAME=secret`, so it is not repeated.
        raise refused(
            "this is no name of a variable", "Write letters, digits and _, such as HF_HOME; no digit first."
        )
    return value


def _is_variable_value(value: str) -> str:
    if "\0" in value:
        raise refused("the value holds a NUL character, which no process can be given", "Take it out.")
    return value


def _is_key(value: str) -> str:
    if len(value) > 253 or not re.fullmatch(_KEY, value):
        raise refused(
            f"{value!r} is no key of a Secret or ConfigMap (letters, digits, -, _ and ., 253 at most)",
            "Write the key as `kubectl describe` shows it.",
        )
    return value


def _is_resource(value: str) -> str:
    name = value.rpartition("/")[2]
    if len(name) > 63 or len(value) > 300 or not re.fullmatch(_RESOURCE, value):
        raise refused(
            f"{value!r} is no extended resource: those are domain/name", "Write one such as nvidia.com/gpu."
        )
    return value


def _is_taint_key(value: str) -> str:
    prefix, slash, name = value.rpartition("/")
    if re.fullmatch(LABEL_WORD, name) and (not slash or re.fullmatch(SUBDOMAIN, prefix)):
        return value
    written = _taint_of(f"{value}:NoSchedule" if "=" in value and ":" not in value else value)
    raise refused(f"{value!r} is no key of a taint", f"Write {written or 'one such as nvidia.com/gpu'}.")


def _is_taint_value(value: str) -> str:
    if value and not re.fullmatch(LABEL_WORD, value):
        raise refused(
            f"{value!r} is no value of a taint (letters, digits, -, _ and . inside, 63 at most)",
            "Write the value as `kubectl describe node` shows it between = and :.",
        )
    return value


def _taint_of(text: str) -> str | None:
    """`key=value:Effect`, as kubectl writes a taint, in the form of a Fleet."""
    match = _TAINT.fullmatch(text)
    if match is None:
        return None
    value = f", value: {match['value']}" if match["value"] else ""
    return f"{{key: {match['key']}{value}, effect: {match['effect']}}}"


def read_taint(value: Any) -> Any:
    """A taint as kubectl writes it gets its own finding; everything else is left to the model."""
    form = _taint_of(value) if isinstance(value, str) else None
    if form is not None:
        raise refused(f"{value!r} is the form of kubectl; a taint is a mapping here", f"Write {form}.")
    return value


def _text(pattern: str, **more: int) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, **more})


NotEmpty = Annotated[str, Field(min_length=1)]

Image = Annotated[NotEmpty, AfterValidator(_is_image), _text(_IMAGE)]
"""The reference of an OCI image."""

ModelName = Annotated[NotEmpty, AfterValidator(_is_model), _text(_MODEL)]
"""Name of a model, as the hub and the catalogue know it."""

ServedName = Annotated[NotEmpty, AfterValidator(_is_served_name), _text(r"\S", minLength=1)]
"""Name that clients send."""

Variable = Annotated[NotEmpty, AfterValidator(_is_variable), _text(_VARIABLE)]
"""Name of an environment variable."""

VariableValue = Annotated[str, AfterValidator(_is_variable_value)]
"""Value of an environment variable."""

Key = Annotated[NotEmpty, AfterValidator(_is_key), _text(_KEY, maxLength=253)]
"""One key of a Secret or a ConfigMap."""

ExtendedResource = Annotated[NotEmpty, AfterValidator(_is_resource), _text(_RESOURCE)]
"""Resource that a device plugin offers, of which there are whole numbers only."""

TaintKey = Annotated[NotEmpty, AfterValidator(_is_taint_key), _text(r"^[A-Za-z0-9][-A-Za-z0-9_./]*$")]
"""Key of a taint: a label's key."""

TaintValue = Annotated[str, AfterValidator(_is_taint_value), _text(f"^({LABEL_WORD[1:-1]})?$")]
"""Value of a taint: a label's value."""

TAINT: Final = BeforeValidator(read_taint)
"""Before a taint is read."""
