from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from controlplane.diagnostics import Span
from controlplane.stack.environment import Environment
from controlplane.stack.facts import Declared, Known, Unknown, Why
from controlplane.stack.shell import commands_of, simple_commands
from controlplane.stack.words import MARK, Word, texts, word_of
from tests.stack.strategies import WRITTEN

VARIABLES = {"A": "x  y", "AA": "", "MODEL": "meta/llama", "ARGS": "--a 1  --b", "EMPTY": "", "QUOTED": "it's"}

QUOTED_DOLLAR = re.compile(r"\$['\"\\]")
"""Written before a quote, `$` means one thing to bash and another to dash."""


def word(text: str) -> Word:
    return word_of(Known(text, WRITTEN))


def commands(script: str, *parameters: str) -> list[list[str]]:
    environment = Environment({name: word(value) for name, value in VARIABLES.items()})
    found = simple_commands(word(script), environment, [word(p) for p in parameters])
    return [list(texts(words)) for words in found]


def as_run(script: str) -> list[list[str]]:
    """The commands as a real shell runs them, each printed word ending in a NUL."""
    show = 'show() { for word in "$@"; do printf "%s\\0" "$word"; done; printf "\\1"; }\n'
    done = subprocess.run(["/bin/sh", "-c", show + script], env=VARIABLES, capture_output=True, check=True)
    return [["show", *words.split("\0")[:-1]] for words in done.stdout.decode().split("\x01")[:-1]]


@pytest.mark.parametrize(
    "script",
    [
        "show a b",
        "show 'a b' \"c d\" e\\ f",
        "show \"$MODEL\" '$MODEL' \\$MODEL",
        "show $ARGS x",
        'show "$ARGS"',
        "show ${MODEL} a${MODEL}b",
        "show $EMPTY a",
        'show "$EMPTY" a',
        "show \\\n  a \\\n  b",
        "show a; show b && show c\nshow d",
        "show a # not b\nshow c#d",
        "X=1 Y='a b'; show $X \"$Y\"",
        "export Z=3\nshow $Z",
        'show {"a":1} \'{"b": [1, 2]}\'',
        'show "{\\"a\\": \\"$MODEL\\"}"',
        "show ${MODEL:-other} ${EMPTY}x",
        "if true; then show a; fi",
        "{ show a; }",
        "show a$ $",
        'show --chat-template="it\'s"',
        'show "a\\b" "a\\\\b" "a\\"b"',
    ],
)
def test_words_are_those_that_a_real_shell_runs(script: str) -> None:
    assert [words for words in commands(script) if words[0] == "show"] == as_run(script)


@settings(deadline=None, max_examples=150)
@given(st.text(st.sampled_from("ab '\"\\$A=#\n"), max_size=14).filter(lambda text: not QUOTED_DOLLAR.search(text)))
def test_quoting_is_that_of_a_real_shell(arguments: str) -> None:
    script = f"show {arguments}"
    try:
        run = as_run(script)
    except subprocess.CalledProcessError:
        assume(False)
    listed = commands(script)
    assume(all(MARK not in text for words in listed for text in words))
    assert [words for words in listed if words[0] == "show"] == run


def test_redirections_are_no_words() -> None:
    assert commands("vllm serve m > /tmp/log 2>&1 < in") == [["vllm", "serve", "m"]]
    assert commands("vllm serve m &> log") == [["vllm", "serve", "m"]]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("run $(cat file) x", ["run", MARK, "x"]),
        ("run `cat file` x", ["run", MARK, "x"]),
        ("run --port=$UNSET", ["run", f"--port={MARK}"]),
        ("run ${UNSET:-8000}", ["run", MARK]),
        ("run ${MODEL%/*}", ["run", MARK]),
        ('run "$(a "b" $(c))" d', ["run", MARK, "d"]),
        ("run $1 $2", ["run", MARK, MARK]),
    ],
)
def test_what_only_a_running_shell_can_tell_is_unknown(script: str, expected: list[str]) -> None:
    assert commands(script) == [expected]


def test_unknown_words_say_what_would_tell_them() -> None:
    found = simple_commands(word("run $UNSET"), Environment())[0][1]
    assert found.missing == (Unknown(Why.RUNTIME),)
    assert "UNSET" in found.missing[0].needs


def test_parameters_of_the_script_are_filled_in() -> None:
    assert commands('exec vllm serve "$@"', "m", "--a", "b c") == [["exec", "vllm", "serve", "m", "--a", "b c"]]
    assert commands("vllm serve $1 --x", "m") == [["vllm", "serve", "m", "--x"]]


@settings(deadline=None)
@given(st.text(st.sampled_from("ab '\"\\$`(){}#;&|<>=\n\t@1A"), max_size=30))
def test_no_script_stops_the_reader(script: str) -> None:
    for words in commands(script, "p"):
        assert words


def test_long_scripts_are_read_once() -> None:
    for script in ("$(" * 200_000, "${" * 200_000, "'" * 200_001, "A=1;" * 100_000, "a " * 200_000, "\\\n" * 200_000):
        simple_commands(word(script), Environment())
    marked = Word(MARK * 50_000, WRITTEN, (Unknown(Why.RUNTIME),) * 50_000)
    assert len(simple_commands(marked, Environment())[0][0].missing) == 50_000


def test_variables_that_multiply_end_at_the_limit_of_linux() -> None:
    environment = Environment({"A": word("x" * 100_000)})
    found = simple_commands(word("run " + '"$A" ' * 1000), environment)
    assert sum(len(w.text) for words in found for w in words) < 3 * 1024 * 1024


def test_the_text_of_a_here_document_holds_no_commands() -> None:
    script = "cat <<EOF > file\nvllm serve m\nEOF\nshow a\ncat <<-'X'\n\tshow $b\n\tX\nshow c"
    assert commands(script) == [["cat"], ["show", "a"], ["cat"], ["show", "c"]]


def test_a_command_has_the_text_of_its_here_document() -> None:
    first, second = commands_of(word("bash <<EOF\nshow a\nEOF\nshow b"), Environment())
    assert first.here is not None
    assert (first.here.text, second.here) == ("show a\n", None)


def test_arrays_are_the_words_that_they_hold() -> None:
    script = 'ARGS=(--a 1\n  "b c")\nARGS+=(-d)\nshow "${ARGS[@]}" e ${ARGS[@]}'
    assert commands(script) == [["show", "--a", "1", "b c", "-d", "e", "--a", "1", "b", "c", "-d"]]


def test_set_gives_the_parameters_of_what_follows() -> None:
    assert commands('set -- a "b c"; show "$@"; shift; show "$@"') == [
        ["set", "--", "a", "b c"],
        ["show", "a", "b c"],
        ["shift"],
        ["show", "b c"],
    ]


@pytest.mark.parametrize(
    "script",
    [
        "if true; then A=new; fi; show $A",
        "case x in y) A=new;; esac; show $A",
        "for i in 1 2; do A=$i; done; show $A",
        "if true; then A=new; else show $A; fi",
        "if true; then if true; then A=new; fi; fi; show $A",
    ],
)
def test_what_a_branch_sets_is_unknown_behind_it(script: str) -> None:
    assert commands(script)[-1] == ["show", MARK]


def test_what_a_branch_sets_is_known_inside_it() -> None:
    assert ["show", "new"] in commands("if true; then A=new; show $A; fi")


def test_words_that_a_branch_may_add_to_an_array_are_unknown() -> None:
    script = 'ARGS=(a); if true; then ARGS+=(b); fi; show "${ARGS[@]}"'
    assert commands(script)[-1] == ["show", "a", MARK]


def test_a_default_holds_only_where_the_variable_is_certainly_unset() -> None:
    script = "run ${UNSET:-8000} ${SET:-1} ${EMPTY:-2} ${EMPTY-3}x"
    values = {"SET": word("x"), "EMPTY": word("")}
    certain = simple_commands(word(script), Environment(values, unset=lambda name: name == "UNSET"))
    assert [list(texts(words)) for words in certain] == [["run", "8000", "x", "2", "x"]]
    open_ended = Environment(values, open_ended=True, unset=lambda _: True)
    assert texts(simple_commands(word(script), open_ended)[0])[1] == MARK


@pytest.mark.parametrize(
    ("script", "conditional", "in_background"),
    [
        ("a; b", [False, False], [False, False]),
        ("a & b", [False, False], [True, False]),
        ("a && b || c", [False, False, True], [False, False, False]),
        ("if a; then b; else c & fi; d", [True, True, True, False], [False, False, True, False]),
        ("while a; do b; done", [True, True], [False, False]),
        ("case x in y) b;; esac; c", [True, False], [False, False]),
    ],
)
def test_a_command_says_whether_it_may_not_run_or_runs_beside_others(
    script: str, conditional: list[bool], in_background: list[bool]
) -> None:
    found = commands_of(word(script), Environment())
    assert [command.conditional for command in found] == conditional
    assert [command.in_background for command in found] == in_background


def test_every_word_of_a_script_knows_its_place() -> None:
    script = 'run --a=\'b c\' \\\n  "d$X"e "$@"'
    found = commands_of(placed(script), Environment({"X": word("yz")}), [placed("p q")])
    _, flag, mixed, parameter = found[0].words
    assert (flag.text, spot(script, flag.origin)) == ("--a=b c", "--a='b c'")
    assert (spot(script, flag.place(0, 3)), spot(script, flag.place(4, 7))) == ("--a", "b c")
    assert (mixed.text, spot(script, mixed.origin)) == ("dyze", '"d$X"e')
    assert (spot(script, mixed.place(0, 1)), spot(script, mixed.place(1, 3))) == ("d", "$X")
    assert (flag.verbatim, mixed.verbatim, parameter.verbatim) == (True, False, True)
    assert (parameter.text, spot("p q", parameter.origin)) == ("p q", "p q")


def placed(text: str) -> Word:
    """A text whose places are their own indices."""
    whole = Span("script", 1, 1, 1, len(text) + 1)
    locate = lambda start, end: Declared(Span("script", 1, start + 1, 1, end + 1))  # noqa: E731 - said in one line
    return Word(text, Declared(whole), (), locate)


def spot(text: str, origin: object) -> str:
    assert isinstance(origin, Declared)
    return text[origin.span.column - 1 : origin.span.end_column - 1]


@settings(deadline=None, max_examples=200)
@given(st.text(st.sampled_from("ab '\"\\$`(){}#;&|<>=\n\t@1A-[]E+!if"), max_size=40))
def test_every_character_of_every_word_has_a_place_in_the_script(script: str) -> None:
    found = commands_of(placed(script), Environment({"A": word("p q")}), [placed("z")])
    for one in [one for command in found for one in command.words]:
        for index in range(len(one.text)):
            origin = one.place(index, index + 1)
            assert isinstance(origin, Declared)
            assert 1 <= origin.span.column <= origin.span.end_column <= len(script) + 1 or one.text == "z"
