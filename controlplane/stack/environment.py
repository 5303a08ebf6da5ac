"""A container's environment as far as its manifest tells it, and Kubernetes' own expansion of `$(NAME)`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from controlplane.stack.facts import Known, Unknown, Why
from controlplane.stack.pods import ConfigKey, EnvVar, FieldPath, SecretKey
from controlplane.stack.words import MARK, Word, word_of

LONGEST = 131072
"""Bytes that Linux takes in one argument or variable (MAX_ARG_STRLEN)."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Values by name. `open_ended` when `envFrom` brings in names that cannot be seen here."""

    values: Mapping[str, Word] = field(default_factory=dict)
    open_ended: bool = False

    def look_up(self, name: str) -> Word | None:
        """A variable's value; None when the manifest does not set it and nothing unseen can."""
        found = self.values.get(name)
        if found is None and self.open_ended:
            return Word(MARK, None, (Unknown(Why.RUNTIME, f"the variable {name}, perhaps from envFrom"),))
        return found


def environment_of(variables: Iterable[EnvVar], *, open_ended: bool = False) -> Environment:
    """The environment of a container's `env`; a value may refer to the variables before it."""
    values: dict[str, Word] = {}
    for variable in variables:
        values[variable.name] = expand(_word(variable), Environment(values, open_ended))
    return Environment(values, open_ended)


def _word(variable: EnvVar) -> Word:
    fact = variable.value
    if not isinstance(fact, Known):
        return word_of(Unknown(Why.UNRESOLVED) if not isinstance(fact, Unknown) else fact)
    if isinstance(fact.value, str):
        return word_of(Known(fact.value, fact.origin))
    return Word(MARK, fact.origin, (Unknown(Why.RUNTIME, _needs(variable.name, fact.value)),))


def _needs(name: str, source: SecretKey | ConfigKey | FieldPath) -> str:
    match source:
        case SecretKey():
            return f"the variable {name}, the key {source.key!r} of the Secret {source.name!r}"
        case ConfigKey():
            return f"the variable {name}, the key {source.key!r} of the ConfigMap {source.name!r}"
        case FieldPath():
            return f"the variable {name}, {source.path} of the running pod"


def expand(word: Word, environment: Environment) -> Word:
    """`$(NAME)` replaced as the kubelet does it (`third_party/forked/golang/expansion`, 1.36).

    `$$` is `$`; a reference to a variable that does not exist stays as it is.
    """
    if "$" not in word.text:
        return word
    parts: list[str] = []
    missing = list(word.missing)
    last_closing = word.text.rfind(")")
    at = 0
    while at < len(word.text):
        part, at = _next_part(word.text, at, last_closing)
        value = environment.look_up(part[2:-1]) if part.startswith("$(") and part.endswith(")") else None
        if value is None:
            parts.append("$" if part == "$$" else part)
        else:
            parts.append(value.text)
            missing += value.missing[:1]
    return _bounded(Word("".join(parts), word.origin, tuple(missing)))


def _bounded(word: Word) -> Word:
    """Values that refer to each other can grow without end; Linux takes no longer ones than this."""
    if len(word.text) <= LONGEST:
        return word
    return Word(MARK, word.origin, (Unknown(Why.UNRESOLVED, f"a text of at most {LONGEST} characters"),))


def _next_part(text: str, at: int, last_closing: int) -> tuple[str, int]:
    """The text up to the next `$`, or a reference or an escape that begins here, and where it ends."""
    if text[at] != "$":
        end = text.find("$", at)
        end = len(text) if end < 0 else end
    elif text[at + 1 : at + 2] == "(":
        end = text.index(")", at) + 1 if at < last_closing else at + 2
    else:
        end = at + 2
    return text[at:end], min(end, len(text))
