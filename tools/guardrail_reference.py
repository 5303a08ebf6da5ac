"""Write the table of fields in `docs/guardrails.md`, between its two marks, from what expressions may name.

python -m tools.guardrail_reference --write
python -m tools.guardrail_reference --check
"""

from __future__ import annotations

import sys
from pathlib import Path

from controlplane.guardrails.expressions import SCOPES, TYPES
from controlplane.guardrails.messages import SHAPES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "guardrails.md"
BEGIN, END = "<!-- fields: generated -->", "<!-- end of fields -->"
_WORDS = {
    "Int64Value": "integer",
    "DoubleValue": "number",
    "BoolValue": "boolean",
    "StringValue": "text",
    "string": "text, always there",
    "Struct": "any keys",
    "{}": "map of texts",
}


def main(mode: str) -> int:
    """Write the page, or say whether its table is what it would be written as."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    made = f"{before}{BEGIN}\n{tables()}\n{END}{after}"
    if mode == "--write":
        PAGE.write_text(made, encoding="utf-8")
        return 0
    return 0 if made == text else 1


def tables() -> str:
    """What each kind of rule may name, and the fields of every part."""
    lines = ["| a rule over | may name |", "| --- | --- |"]
    lines += [f"| `{over}` | {', '.join(f'`{name}`' for name in names)} |" for over, names in SCOPES.items()]
    for name, shape in SHAPES.items():
        variables = [variable for variable, type_ in TYPES.items() if type_.endswith(f".{name}")]
        title = f"`{variables[0]}`" if variables else name
        lines += ["", f"### {title}", "", "| field | type |", "| --- | --- |"]
        lines += [f"| `{field}` | {_form(kind)} |" for field, kind in shape.items()]
    return "\n".join(lines)


def _form(kind: str) -> str:
    inner = kind.removeprefix("[]")
    words = _WORDS.get(inner, inner)
    return f"list of {words.removesuffix(', always there')}" if kind.startswith("[]") else words


if __name__ == "__main__":
    if sys.argv[1:] not in (["--check"], ["--write"]):
        sys.exit("usage: python -m tools.guardrail_reference --check|--write")
    sys.exit(main(sys.argv[1]))
