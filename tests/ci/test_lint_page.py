"""The page on lint: its settings are read, its comments count, its rules exist."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

from controlplane.cli.exit import Exit
from controlplane.cli.explanations import known_ids
from controlplane.cli.lint.config_file import read_settings
from controlplane.cli.suppression_comments import Suppression, comments

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "lint.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    [text] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert isinstance(text, str)
    return text


def test_settings_of_the_page_are_read(tmp_path: Path) -> None:
    path = tmp_path / "controlplane.toml"
    path.write_text(block("toml"))
    settings = read_settings(path)
    assert settings is not None
    assert settings.fail_on == "warning"
    assert settings.assume == {"vllm": "0.33.0"}


def test_comments_of_the_page_accept_findings() -> None:
    first, second = comments(block("yaml"), "f")
    assert isinstance(first, Suppression)
    assert isinstance(second, Suppression)
    assert (first.lines, first.reason, first.until) == ((2, 2), "our fork still has it", None)
    assert (second.lines, second.until) == ((4, 4), date(2027, 1, 31))


def test_rules_of_the_page_exist() -> None:
    named = set(re.findall(r"(?<![\w/.-])(?:vllm|ray|kubernetes|cross|suppression)/[a-z][a-z-]+(?![\w/.])", PAGE))
    assert len(named) > 5
    # The beginning of an id selects rules too.
    assert {name for name in named if not any(rule.startswith(name) for rule in known_ids())} == set()


def test_exit_codes_of_the_page_are_the_programs() -> None:
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
    assert codes == {int(code) for code in Exit} - {int(Exit.CANNOT_TELL), int(Exit.INTERRUPTED)}


def test_links_of_the_pages_lead_somewhere() -> None:
    for name in ("lint.md", "ci.md"):
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (ROOT / "docs" / target).exists(), target
