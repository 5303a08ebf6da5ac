from __future__ import annotations

from controlplane.rules.ray.accelerator_type_not_provided import RULE
from tests.rules.judging import findings_of


def _message(text: str) -> str:
    (message,) = [f.message for f in findings_of(text) if f.rule == "ray/accelerator-type-not-provided"]
    return message


def test_type_that_serve_llm_reads_as_another_is_told_as_it_is_written() -> None:
    (bad,) = RULE.bad
    written = next(line.split(":")[1].split()[0] for line in bad.splitlines() if "accelerator_type:" in line)
    as_a10 = _message(bad.replace(f"accelerator_type: {written}", "accelerator_type: A10"))
    assert as_a10.startswith("accelerator_type is A10G (A10, which Serve LLM reads as A10G), and")
    assert _message(bad.replace(f"accelerator_type: {written}", "accelerator_type: A10G")).startswith(
        "accelerator_type is A10G, and"
    )
