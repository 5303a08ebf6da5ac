"""Names of vLLM's arguments in the spellings that people use."""

from __future__ import annotations

from controlplane.stack.vllm_tables import load_table, versions


def canonical_name(key: str) -> str:
    """An argument's name however it is spelled: `--max-loras`, `max-loras` and `maxLoras` are `max_loras`."""
    plain = key.lstrip("-")
    if plain.replace("-", "").isalnum() and not plain.islower():
        plain = "".join(f"_{c.lower()}" if c.isupper() else c for c in plain)
    return plain.replace("-", "_").lstrip("_")


def argument_called(key: str) -> str | None:
    """The argument of the newest known version that a key spells, or None."""
    table = load_table(versions()[-1])
    argument = table.argument(canonical_name(key)) if table is not None else None
    return None if argument is None else argument.name
