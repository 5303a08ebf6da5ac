"""What looks like a secret in a policy: by the name of a variable, or by the form of a value."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(
    r"TOKEN(?!IZER|S(?:_|\b))|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY|ACCESS_KEY|CREDENTIAL"
)
"""Names of variables whose values are secrets; `TOKENIZERS_PARALLELISM` and `MAX_TOKENS` are not among them."""

_PLACE: Final = re.compile(r"_(?:PATH|FILE|DIR|URL|NAME|ID|TTL|TYPE)\Z|\AGOOGLE_APPLICATION_CREDENTIALS\Z")
"""Names that say where a secret is, and do not hold it."""

_VALUE: Final = re.compile(
    r"hf_[A-Za-z0-9]{20,}|sk-[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}"
    r"|(?<=://)[^/\s:@]*:[^/\s@]+(?=@)|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
"""Values that are secrets whatever they are called: tokens of Hugging Face, OpenAI, AWS and GitHub, passwords in
addresses, private keys."""


def looks_secret(text: str) -> bool:
    """Whether a text holds a token, a password in an address, or a private key."""
    return _VALUE.search(text) is not None


def is_literal_secret(name: str, value: str) -> bool:
    """Whether a variable of this name with this value holds a secret in plain text."""
    if not value:
        return False
    if looks_secret(value):
        return True
    upper = name.upper()
    if _PLACE.search(upper) or not _NAME.search(upper):
        return False
    # TOKEN_LIMIT=4096 counts tokens.
    return not (value.isdecimal() and "TOKEN" in upper and not upper.endswith("TOKEN"))


def without_secrets(text: str) -> str:
    """The text with what looks like a secret taken out."""
    return _VALUE.sub("(redacted)", text)
