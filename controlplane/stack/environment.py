"""A container's environment as far as its manifest tells it, and Kubernetes' own expansion of `$(NAME)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace

from controlplane.frozen import frozen
from controlplane.stack.facts import Fact, Known, Unknown, Why
from controlplane.stack.pods import ConfigKey, EnvVar, FieldPath, SecretKey
from controlplane.stack.words import MARK, Word, WordBuilder, word_of

LONGEST = 131072
"""Bytes that Linux takes in one argument or variable (MAX_ARG_STRLEN)."""


def _may_be_set(_: str) -> bool:
    return False


@frozen
class Environment:
    """Values by name. `open_ended` when `envFrom` brings in names that cannot be seen here.

    `unset` says of a name that is not among them whether it is certain that the container has no such variable: its
    image may set some, and Kubernetes those of Services.
    """

    values: Mapping[str, Word] = field(default_factory=dict)
    open_ended: bool = False
    unset: Callable[[str], bool] = field(default=_may_be_set, compare=False)

    def is_unset(self, name: str) -> bool:
        """Whether it is certain that the container has no variable of that name."""
        return name not in self.values and not self.open_ended and self.unset(name)

    def look_up(self, name: str) -> Word | None:
        """A variable's value; None when the manifest does not set it and nothing unseen can."""
        found = self.values.get(name)
        if found is None and self.open_ended:
            return Word(MARK, None, (Unknown(Why.RUNTIME, f"the variable {name}, perhaps from envFrom"),))
        return found


ConfigText = Callable[[str, str], Fact[str]]
"""The text of a ConfigMap by its name and key, where it can be seen."""


def _no_config(name: str, key: str) -> Fact[str]:
    return Unknown(Why.RUNTIME, f"the key {key!r} of the ConfigMap {name!r}")


def environment_of(
    variables: Iterable[EnvVar],
    *,
    open_ended: bool = False,
    brought_in: Mapping[str, Word] | None = None,
    config: ConfigText = _no_config,
) -> Environment:
    """The environment of a container's `env`; a value may refer to the variables before it.

    `brought_in` are those of its `envFrom`, as far as they can be seen; `env` wins over them.
    """
    values: dict[str, Word] = dict(brought_in or {})
    for variable in variables:
        values[variable.name] = expand(_word(variable, config), Environment(values, open_ended))
    return Environment(values, open_ended)


def _word(variable: EnvVar, config: ConfigText) -> Word:
    fact = variable.value
    if isinstance(fact, Known) and isinstance(fact.value, ConfigKey):
        text = config(fact.value.name, fact.value.key)
        fact = Known(text.value, fact.origin) if isinstance(text, Known) else fact
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
    built = WordBuilder(word, 0)
    built.missing += word.missing
    last_closing = word.text.rfind(")")
    at = 0
    while at < len(word.text):
        part, end = _next_part(word.text, at, last_closing)
        value = environment.look_up(part[2:-1]) if part.startswith("$(") and part.endswith(")") else None
        if value is None:
            built.add("$" if part == "$$" else part, at, end)
            built.verbatim = built.verbatim and part != "$$"
        else:
            built.add(value.text, at, end)
            built.missing += value.missing[:1]
            built.verbatim = False
        at = end
    return _bounded(replace(built.word(len(word.text)), origin=word.origin))


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
