from __future__ import annotations

import pytest

from controlplane.diagnostics import Severity
from controlplane.source import Budget, Dialect
from tests.source.reading import at, edited, finding, read, rules


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"\xff", (1, 1)),
        (b"a: 1\nb: \xe9t\xe9\n", (2, 4)),
        ("é: ".encode() + b"\xc3", (1, 4)),
        (b"a: \xed\xa0\x80", (1, 4)),
    ],
    ids=["alone", "Latin-1", "cut off", "surrogate"],
)
def test_byte_that_is_not_utf8_is_an_error_at_its_place(data: bytes, where: tuple[int, int]) -> None:
    result = read(data)
    (found,) = result.diagnostics
    assert (found.rule, found.severity, at(found), result.documents) == ("yaml/not-utf8", Severity.ERROR, where, ())


def test_message_names_the_byte_and_both_numbers() -> None:
    assert finding(b"ab: \xe9 ").message == "0xE9 at byte 4 of 6 is not UTF-8 (invalid continuation byte)"
    remedy = finding(b"ab: \xe9 ").remedy
    assert remedy is not None
    assert remedy.text == "Save the file as UTF-8; in Windows-1252 the byte is 'é'."


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("utf-16-le", "UTF-16 (little-endian)"), ("utf-16-be", "UTF-16 (big-endian)"),
     ("utf-32-le", "UTF-32 (little-endian)"), ("utf-32-be", "UTF-32 (big-endian)")],
)  # fmt: skip
def test_byte_order_mark_of_another_encoding_is_named(encoding: str, name: str) -> None:
    found = finding("\ufeffa: 1".encode(encoding))
    assert (found.rule, at(found)) == ("yaml/not-utf8", (1, 1))
    assert name in found.message


def test_utf8_byte_order_mark_is_accepted() -> None:
    result = read(b"\xef\xbb\xbfa: 1")
    assert (result.diagnostics, result.documents[0].value) == ((), {"a": 1})


def test_nul_is_an_error_at_the_first_with_their_number() -> None:
    found = finding(b"a: 1\nb: x\x00y\x00")
    assert (found.rule, at(found), found.message) == ("yaml/nul-byte", (2, 5), "a NUL character, the first of 2")


def test_utf16_without_a_mark_is_recognised() -> None:
    remedy = finding("kind: Fleet".encode("utf-16-le")).remedy
    assert remedy is not None
    assert remedy.text == "Save the file as UTF-8; it looks like UTF-16."


@pytest.mark.parametrize(
    "character", ["\x01", "\x07", "\x1b", "\x7f", "\x80", "\x9f", "\ufffe", "\uffff", "\x0b", "\x0c"]
)
def test_control_character_is_an_error_and_the_rest_is_still_read(character: str) -> None:
    result = read(f"a: 'x{character}y'\nb: no")
    assert [(d.rule, at(d)) for d in result.diagnostics] == [
        ("yaml/control-character", (1, 6)),
        ("yaml/ambiguous-scalar", (2, 4)),
    ]


def test_many_control_characters_are_one_finding() -> None:
    assert finding("a: '" + "\x01" * 1_000 + "'").message.endswith(", and 999 more like it")


@pytest.mark.parametrize("character", ["\u202e", "\u202a", "\u2066", "\u200f", "\u061c"])
def test_control_of_text_direction_is_an_error_even_in_a_comment(character: str) -> None:
    found = finding(f"a: 1 # x{character}")
    assert (found.rule, found.severity, at(found)) == ("yaml/bidi-control", Severity.ERROR, (1, 9))


def test_kubernetes_reader_takes_what_is_only_suspicious() -> None:
    found = finding("a: x\u202ey", Dialect.KUBERNETES)
    assert (found.rule, found.severity) == ("yaml/bidi-control", Severity.WARNING)


@pytest.mark.parametrize("character", ["\u200b", "\ufeff", "\u00ad"])
def test_invisible_character_is_a_warning_with_an_edit(character: str) -> None:
    text = f"name: chat{character}-8b"
    found = finding(text)
    assert (found.rule, found.severity, at(found)) == ("yaml/invisible-character", Severity.WARNING, (1, 11))
    assert edited(text, found) == "name: chat-8b"


def test_no_break_space_is_a_warning_where_yaml_wants_a_space() -> None:
    text = "a: 1\n\u00a0b:\u00a0x"
    assert rules(text)[0] == "yaml/invisible-character"
    assert at(read(text).diagnostics[0]) == (2, 1)


def test_no_break_space_inside_a_text_is_fine() -> None:
    assert read("a: 10\u00a0km").diagnostics == ()


@pytest.mark.parametrize("character", ["\x85", "\u2028", "\u2029"])
def test_line_break_of_yaml_11_alone_is_an_error(character: str) -> None:
    found = finding(f"a: 'x{character}y'")
    assert (found.rule, found.severity, at(found)) == ("yaml/unusual-line-break", Severity.ERROR, (1, 6))


def test_size_is_checked_before_anything_is_decoded() -> None:
    found = finding(b"\xff" * (31_000_000))
    assert (found.rule, at(found)) == ("yaml/too-large", (1, 1))
    assert found.message == "the file has 31,000,000 bytes; 20,971,520 are allowed"


def test_hundred_megabytes_are_refused_at_once() -> None:
    assert finding(bytes(100_000_000)).rule == "yaml/too-large"


def test_size_at_the_limit_is_read() -> None:
    assert read(b"a: 1", budget=Budget(bytes=4)).diagnostics == ()
    assert finding(b"a: 12", budget=Budget(bytes=4)).message == "the file has 5 bytes; 4 are allowed"


def test_text_with_umlauts_emoji_and_tabs_between_tokens_is_fine() -> None:
    assert read("a:\t'äöü 😀 \u4e2d'\t# \u00fc").diagnostics == ()
