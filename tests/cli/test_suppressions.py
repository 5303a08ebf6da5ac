"""Comments that accept findings: where they count, and that none hides anything by accident."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.cli.fixes import fixed
from controlplane.cli.suppressions import Suppressed, apply
from controlplane.diagnostics import Applicability, Diagnostic, Layer, Severity, Span

TODAY = date(2026, 11, 29)
KNOWN = ("vllm/removed", "vllm/other", "ray/removed", "kubernetes/gpu")


def finding(line: int, rule: str = "vllm/removed", file: str = "f") -> Diagnostic:
    return Diagnostic(rule, Severity.ERROR, Layer.VLLM, "m", Span(file, line, 1, line, 2))


def applied(text: str, *findings: Diagnostic) -> Suppressed:
    return apply(findings, {"f": text}, TODAY, known=KNOWN)


def told(result: Suppressed) -> list[tuple[str, int]]:
    return [(own.rule, own.span.line) for own in result.own]


ACCEPTED = {
    "on the line": ("a: 1  # controlplane: ignore[vllm/removed] why\n", 1),
    "on the line above": ("# controlplane: ignore[vllm/removed] why\na: 1\n", 2),
    "above, with other lines between": ("# controlplane: ignore[vllm/removed] why\n\n# more\na: 1\n", 4),
    "above with another comment for the same line": (
        "# controlplane: ignore[vllm/removed] why\n# controlplane: ignore[ray/removed] why\na: 1\n",
        3,
    ),
    "by its family": ("a: 1  # controlplane: ignore[vllm/] why\n", 1),
    "as one of several": ("a: 1  # controlplane: ignore[ray/removed, vllm/removed] why\n", 1),
    "until the day itself": ("a: 1  # controlplane: ignore[vllm/removed] until 2026-11-29: why\n", 1),
    "until a day to come": ("a: 1  # controlplane: ignore[vllm/removed] until 2027-01-31: why\n", 1),
    "with a reason that begins with until": ("a: 1  # controlplane: ignore[vllm/removed] until then\n", 1),
    "behind another comment": ("a: 1  # note # controlplane: ignore[vllm/removed] why\n", 1),
    "with a dash before the reason": ("a: 1  # controlplane: ignore[vllm/removed] - why\n", 1),
    "for the whole file": ("# about\n---\n# controlplane: ignore-file[vllm/removed] why\na: 1\nb: 2\n", 5),
    "with windows line ends": ("# controlplane: ignore[vllm/removed] why\r\na: 1\r\n", 2),
    "behind a byte order mark": ("\ufeff# controlplane: ignore[vllm/removed] why\na: 1\n", 2),
    "above a block scalar, for all of it": ("# controlplane: ignore[vllm/removed] why\na: |\n  x\n  y\nb: 1\n", 4),
    "beside a block scalar's indicator": ("a: |  # controlplane: ignore[vllm/removed] why\n  x\n  y\nb: 1\n", 3),
    "above a quoted text of several lines": ('# controlplane: ignore[vllm/removed] why\na: "x\n  y"\n', 3),
    "inside an embedded document": ("serveConfigV2: |\n  # controlplane: ignore[vllm/removed] why\n  a: 1\n", 3),
    "on a line of an embedded document": ("serveConfigV2: |\n  a: 1  # controlplane: ignore[vllm/removed] why\n", 2),
    "inside a script": ("args:\n- |\n  # controlplane: ignore[vllm/removed] why\n  vllm serve m\n", 4),
    "for a command that goes on": (
        "args:\n- |\n  # controlplane: ignore[vllm/removed] why\n  vllm serve m \\\n    --a \\\n    --b\n",
        6,
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_finding_is_accepted(name: str) -> None:
    text, line = ACCEPTED[name]
    result = applied(text, finding(line))
    assert result.findings == ()
    [entry] = result.suppressed
    assert entry.kind == "comment"
    assert entry.reason in {"why", "until then"}


NOT_ACCEPTED = {
    "of another rule": ("a: 1  # controlplane: ignore[ray/removed] why\n", 1),
    "on another line": ("a: 1  # controlplane: ignore[vllm/removed] why\nb: 2\n", 2),
    "above a line that already has its own": ("# controlplane: ignore[vllm/removed] why\na: 1\nb: 2\n", 3),
    "behind the end of a block scalar": ("a: |  # controlplane: ignore[vllm/removed] why\n  x\nb: 1\n", 3),
    "outside the text that the comment stands in": (
        "serveConfigV2: |\n  a: 1\n  # controlplane: ignore[vllm/removed] why\nb: 1\n",
        4,
    ),
    "by a text that is no comment": ('a: "# controlplane: ignore[vllm/removed] why"\n', 1),
    "by a word that runs on": ("a: b#controlplane: ignore[vllm/removed] why\n", 1),
    "behind the end of a command": (
        "args:\n- |\n  # controlplane: ignore[vllm/removed] why\n  vllm serve m\n  echo\n",
        5,
    ),
}


@pytest.mark.parametrize("name", NOT_ACCEPTED)
def test_finding_is_not_accepted(name: str) -> None:
    text, line = NOT_ACCEPTED[name]
    assert applied(text, finding(line)).findings == (finding(line),)


def test_comment_of_one_file_says_nothing_about_another() -> None:
    other = finding(1, file="g")
    texts = {"f": "a: 1  # controlplane: ignore[vllm/removed] why\n", "g": "a: 1\n"}
    assert apply([other], texts, TODAY, known=KNOWN).findings == (other,)


MALFORMED = {
    "no reason": "ignore[vllm/removed]",
    "only signs for a reason": "ignore[vllm/removed] -- :",
    "no list": "ignore why",
    "list not closed": "ignore[vllm/removed why",
    "empty list": "ignore[] why",
    "empty place": "ignore[vllm/removed,] why",
    "no id": "ignore[removed] why",
    "a star": "ignore[*] why",
    "another sign": "ignore[vllm/removed; ray/removed] why",
    "capital letters": "Ignore[vllm/removed] why",
    "misspelt": "ingore[vllm/removed] why",
    "another word": "disable[vllm/removed] why",
    "no date": "ignore[vllm/removed] until tomorrow: why",
    "no such day": "ignore[vllm/removed] until 2027-02-30: why",
    "another form of a date": "ignore[vllm/removed] until 31.1.2027: why",
    "date without a colon": "ignore[vllm/removed] until 2027-01-31 why",
    "date without a reason": "ignore[vllm/removed] until 2027-01-31:",
    "version for a date": "ignore[vllm/removed] until v0.34: why",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_comment_is_an_error_and_accepts_nothing(name: str) -> None:
    result = applied(f"a: 1  # controlplane: {MALFORMED[name]}\n", finding(1))
    assert result.findings == (finding(1),)
    [own] = result.own
    assert (own.rule, own.severity) == ("suppression/malformed", Severity.ERROR)
    assert own.span.column == 7
    assert own.remedy is not None
    assert own.remedy.text.endswith(".")


def test_missing_colon_is_an_error() -> None:
    assert told(applied("a: 1  # controlplane ignore[vllm/removed] why\n")) == [("suppression/malformed", 1)]


def test_comment_for_the_file_below_its_beginning_is_an_error() -> None:
    result = applied("a: 1\n# controlplane: ignore-file[vllm/removed] why\nb: 1\n", finding(3))
    assert told(result) == [("suppression/malformed", 2)]
    assert result.findings == (finding(3),)


@pytest.mark.parametrize(
    "comment",
    [
        "# controlplane: true",
        "# node-role.kubernetes.io/controlplane: ignored by us",
        "# the controlplane ignores this",
        "# controlplane: [etcd, scheduler]",
        "# controlplane:",
    ],
)
def test_comment_about_somebody_elses_control_plane_is_left_alone(comment: str) -> None:
    assert applied(f"a: 1  {comment}\n").own == ()


def test_expired_comment_is_an_error_and_accepts_nothing() -> None:
    result = applied("a: 1  # controlplane: ignore[vllm/removed] until 2026-11-28: why\n", finding(1))
    assert result.findings == (finding(1),)
    [own] = result.own
    assert (own.rule, own.severity) == ("suppression/expired", Severity.ERROR)
    assert "2026-11-28" in own.message
    assert "2026-11-29" in own.message
    assert "why" in own.message


def test_unused_comment_is_a_warning_with_an_edit_that_removes_it() -> None:
    for text, after in {
        "a: 1  # controlplane: ignore[vllm/removed] why\nb: 2\n": "a: 1\nb: 2\n",
        "a: 1\n  # controlplane: ignore[vllm/removed] why\nb: 2\n": "a: 1\nb: 2\n",
        "a: 1\n# controlplane: ignore[vllm/removed] why": "a: 1",
        "a: 1  # note # controlplane: ignore[vllm/removed] why\n": "a: 1  # note\n",
        "a: 1\r\n# controlplane: ignore[vllm/removed] why\r\nb: 2\r\n": "a: 1\r\nb: 2\r\n",
    }.items():
        [own] = applied(text).own
        assert (own.rule, own.severity) == ("suppression/unused", Severity.WARNING)
        assert fixed({"f": text}, [own]).texts == {"f": after}
        assert applied(after).own == ()


def test_only_the_unused_part_of_a_comment_is_taken_out() -> None:
    text = "a: 1  # controlplane: ignore[ray/removed, vllm/removed, kubernetes/] why\n"
    [own] = applied(text, finding(1)).own
    assert fixed({"f": text}, [own]).texts == {"f": "a: 1  # controlplane: ignore[vllm/removed] why\n"}


def test_comment_for_a_rule_that_did_not_run_is_not_unused() -> None:
    text = "a: 1  # controlplane: ignore[vllm/removed] why\n# controlplane: ignore[vllm/] why\nb: 1\n"
    result = apply([], {"f": text}, TODAY, lambda rule: rule != "vllm/removed", KNOWN)
    assert result.own == ()


def test_unknown_rule_is_told_with_the_nearest() -> None:
    text = "a: 1  # controlplane: ignore[vllm/remved, vlm/, ray/quite-another] why\n"
    result = applied(text, finding(1))
    assert result.findings == (finding(1),)
    assert [own.rule for own in result.own] == ["suppression/unknown-rule"] * 3
    messages = [own.message for own in result.own]
    assert messages == [
        "there is no rule `vllm/remved`; did you mean `vllm/removed`?",
        "there is no family of rules `vlm/`; did you mean `vllm/`?",
        "there is no rule `ray/quite-another`",
    ]
    assert result.own[0].remedy is not None
    assert result.own[0].remedy.applicability is Applicability.NEEDS_DECISION
    assert result.own[0].span.column == 30


def test_rule_of_the_organisations_own_is_accepted_and_never_called_unknown_or_unused() -> None:
    text = "a: 1  # controlplane: ignore[guardrail/two-replicas] why\n"
    assert applied(text, finding(1, "guardrail/two-replicas")).findings == ()
    assert applied(text).own == ()


def test_findings_about_comments_cannot_be_accepted() -> None:
    text = "a: 1  # controlplane: ignore[suppression/unused] why\n"
    own = finding(1, "suppression/unused")
    assert apply([own], {"f": text}, TODAY, known=(*KNOWN, "suppression/unused")).findings == (own,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("serveConfigV2: |\n  # controlplane: ignore[vllm/removed] why\n  a: 1\n", ["suppression/unused"]),
        ("serveConfigV2: |\n  # controlplane: ignore[vllm/removed]\n  a: 1\n", ["suppression/malformed"]),
        ("data:\n  other.yaml: |\n    # controlplane: ignore[vllm/removed] why\n    a: 1\n", []),
        ("data:\n  other.yaml: |\n    # controlplane: ignore[vllm/removed]\n    a: 1\n", []),
    ],
)
def test_comment_in_a_text_that_may_not_be_ours_to_read_is_not_judged(text: str, expected: list[str]) -> None:
    assert [own.rule for own in applied(text).own] == expected


def test_unused_comment_in_a_text_has_no_edit() -> None:
    [own] = applied("serveConfigV2: |\n  # controlplane: ignore[vllm/removed] why\n  a: 1\n").own
    assert own.remedy is not None
    assert own.remedy.edits == ()


def test_comments_count_in_a_file_that_is_not_yaml() -> None:
    text = "a: 1  # controlplane: ignore[vllm/removed] why\nb: [\n# controlplane: ignore[vllm/removed] why\n"
    result = applied(text, finding(1))
    assert result.findings == ()
    assert result.own == ()


def test_default_rules_are_those_of_the_catalogue() -> None:
    text = "a: 1  # controlplane: ignore[kubernetes/gpu-limit-missing, yaml/duplicate-key] why\n"
    result = apply([finding(1, "yaml/duplicate-key")], {"f": text}, TODAY)
    assert [own.rule for own in result.own] == ["suppression/unused"]


@given(
    st.lists(
        st.sampled_from(
            [
                "# controlplane: ignore",
                "[vllm/removed]",
                " why",
                "\n",
                "a: 1",
                "|",
                "'",
                '"',
                "  ",
                "- ",
                "until 2026-1",
                "#",
                "{",
                "\r",
                "\x00",
                "\u2028",
                "\ud800",
                ": ",
                ",",
            ]
        ),
        max_size=30,
    ).map("".join)
)
def test_no_text_raises_and_every_finding_is_kept_or_accepted(text: str) -> None:
    findings = [finding(line) for line in range(1, 6)]
    result = applied(text, *findings)
    assert sorted([*result.findings, *(entry.finding for entry in result.suppressed)]) == findings
    assert applied(text, *findings) == result
