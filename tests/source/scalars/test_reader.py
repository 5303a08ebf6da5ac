from __future__ import annotations

import pytest

from controlplane.diagnostics import Applicability, Severity
from controlplane.source import Dialect
from tests.source.reading import at, edited, finding, read

AMBIGUOUS = [
    ("yes", Severity.ERROR), ("no", Severity.ERROR), ("On", Severity.ERROR), ("OFF", Severity.ERROR),
    ("y", Severity.ERROR),
    ("N", Severity.ERROR), ("012", Severity.ERROR), ("1_000", Severity.ERROR), ("0b11", Severity.ERROR),
    ("0o14", Severity.WARNING), ("12:30", Severity.WARNING), ("1e3", Severity.WARNING), ("08", Severity.WARNING),
    ("2026-01-01", Severity.WARNING), ("=", Severity.WARNING), ("0X1F", Severity.ERROR),
]  # fmt: skip


@pytest.mark.parametrize(("text", "severity"), AMBIGUOUS)
def test_ambiguous_scalar_is_an_error_where_kubernetes_reads_it_otherwise(text: str, severity: Severity) -> None:
    found = finding(f"spec:\n  key: {text}\n")
    assert (found.rule, found.severity) == ("yaml/ambiguous-scalar", severity)
    assert (at(found), found.path) == ((2, 8), ("spec", "key"))
    assert found.message.startswith(f"`{text}` is ")


@pytest.mark.parametrize("text", [text for text, _ in AMBIGUOUS])
def test_remedy_of_an_ambiguous_scalar_keeps_our_reading_and_ends_the_doubt(text: str) -> None:
    source = f"key: {text}"
    before = read(source)
    (found,) = before.diagnostics
    after = read(edited(source, found))
    assert after.diagnostics == ()
    assert after.documents[0].value == before.documents[0].value


def test_quoting_is_safe_and_so_is_a_number_that_kubernetes_reads_too() -> None:
    for text in ("no", "12:30", "1e3"):
        remedy = finding(f"key: {text}").remedy
        assert remedy is not None
        assert remedy.applicability is Applicability.SAFE


def test_number_that_kubernetes_reads_otherwise_needs_a_decision() -> None:
    remedy = finding("key: 012").remedy
    assert remedy is not None
    assert remedy.applicability is Applicability.NEEDS_DECISION
    assert remedy.text == 'Write 12 if that is meant, or quote it if the text is: "012".'


def test_boolean_word_is_told_how_to_write_the_boolean() -> None:
    remedy = finding("key: yes").remedy
    assert remedy is not None
    assert remedy.text == 'Quote it: "yes", or write true if the boolean is meant.'


@pytest.mark.parametrize("text", ['"no"', "'012'", "!!str yes", "|\n  no\n", "true", "8", "500m"])
def test_scalar_with_one_meaning_has_no_finding(text: str) -> None:
    assert read(f"key: {text}").diagnostics == ()


def test_ambiguous_key_is_a_finding_at_the_key() -> None:
    found = finding("spec:\n  on: push")
    assert (found.rule, at(found), found.path) == ("yaml/ambiguous-scalar", (2, 3), ("spec", "on"))


def test_kubernetes_own_reading_is_reported_where_it_surprises() -> None:
    found = finding("value: no", Dialect.KUBERNETES)
    assert (found.rule, found.severity) == ("yaml/ambiguous-scalar", Severity.WARNING)
    assert edited("value: no", found) == "value: false"


def test_kubernetes_file_mode_is_only_worth_knowing() -> None:
    assert finding("defaultMode: 0644", Dialect.KUBERNETES).severity is Severity.INFO


@pytest.mark.parametrize("text", ["12:30", "2026-01-01", "1e3"])
def test_kubernetes_reading_that_is_that_of_yaml_12_is_no_surprise(text: str) -> None:
    assert read(f"value: {text}", Dialect.KUBERNETES).diagnostics == ()


def test_vllm_reading_is_reported_where_it_surprises() -> None:
    found = finding("max-model-len: 1e3", Dialect.VLLM)
    assert found.message == (
        '`1e3` is the text "1e3" to PyYAML (YAML 1.1), but the number 1000 in YAML 1.2 and to Kubernetes\' reader'
    )


@pytest.mark.parametrize(
    ("key", "meaning"),
    [
        ("1", "the number 1"),
        ("true", "the boolean true"),
        ("~", "null"),
        ("1.5", "the number 1.5"),
        ("012", "the number 12"),
    ],
)
def test_key_that_is_no_text_is_one_error_with_a_safe_edit(key: str, meaning: str) -> None:
    source = f"a:\n  {key}: x"
    found = finding(source)
    assert (found.rule, found.severity) == ("yaml/non-string-key", Severity.ERROR)
    assert (at(found), found.path) == ((2, 3), ("a", key))
    assert found.message == f"the key is `{key}`, {meaning}; a key must be a text"
    assert read(edited(source, found)).diagnostics == ()


def test_kubernetes_makes_such_a_key_a_text() -> None:
    result = read("1: x", Dialect.KUBERNETES)
    (found,) = result.diagnostics
    assert (result.documents[0].value, found.severity) == ({"1": "x"}, Severity.WARNING)


def test_kubernetes_refuses_a_null_key() -> None:
    assert finding("~: x", Dialect.KUBERNETES).severity is Severity.ERROR


def test_alias_of_a_number_is_no_key() -> None:
    found = finding("a: &n 8\n*n : b")
    assert (found.rule, at(found)) == ("yaml/non-string-key", (2, 1))


def test_key_with_a_tag_is_what_the_tag_makes_of_it() -> None:
    assert read("!!str 1: x").documents[0].value == {"1": "x"}
    assert finding("!!int 1: x").rule == "yaml/non-string-key"
    assert finding("!y a: x").rule == "yaml/custom-tag"


def test_anchor_of_a_key_has_the_value_and_not_the_key() -> None:
    assert read("&k true: [*k]", Dialect.KUBERNETES).documents[0].value == {"true": [True]}


def test_alias_of_a_text_is_a_key() -> None:
    result = read("a: &n name\n*n : b")
    assert (result.diagnostics, result.documents[0].value) == ((), {"a": "name", "name": "b"})


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("!x 1", 4),
        ("!!set {a}", 4),
        ("!!binary YQ==", 4),
        ("!!python/object:os.system x", 4),
        ("&a !x 1", 7),
        ("!!map [1]", 4),
    ],
)
def test_custom_tag_is_an_error_at_the_tag_in_a_policy(text: str, column: int) -> None:
    found = finding(f"a: {text}")
    assert (found.rule, found.severity, at(found)) == ("yaml/custom-tag", Severity.ERROR, (1, column))


def test_custom_tag_is_ignored_by_kubernetes_reader_and_reported() -> None:
    result = read("a: !x no", Dialect.KUBERNETES)
    (found,) = result.diagnostics
    assert (found.rule, found.severity, result.documents[0].value) == (
        "yaml/custom-tag",
        Severity.WARNING,
        {"a": "no"},
    )


def test_custom_tag_is_refused_by_vllm() -> None:
    assert finding("a: !x 1", Dialect.VLLM).severity is Severity.ERROR


@pytest.mark.parametrize(("text", "value"), [("!!str 1", "1"), ("! 1", "1"), ("!!int 1", 1), ("!!float 1", 1.0)])
def test_core_tag_is_obeyed(text: str, value: object) -> None:
    result = read(f"a: {text}")
    assert (result.diagnostics, result.documents[0].value) == ((), {"a": value})


def test_tag_that_does_not_fit_points_at_the_value() -> None:
    found = finding("a: !!int foo")
    assert (found.rule, at(found)) == ("yaml/unreadable-scalar", (1, 10))


def test_integer_beyond_64_bits_is_an_error_with_its_size() -> None:
    found = finding("a: 99999999999999999999")
    assert (found.rule, found.severity) == ("yaml/unreadable-scalar", Severity.ERROR)
    assert "20 digits" in found.message


def test_message_about_a_long_scalar_stays_short() -> None:
    assert len(finding("a: " + "9" * 1_000_000).message) < 200


@pytest.mark.parametrize("text", [".inf", ".nan"])
def test_number_that_json_lacks_is_refused_for_kubernetes(text: str) -> None:
    assert finding(f"a: {text}", Dialect.KUBERNETES).rule == "yaml/unreadable-scalar"
