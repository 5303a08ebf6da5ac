from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from controlplane.stack.environment import Environment
from controlplane.stack.facts import Known, Unknown, Why
from controlplane.stack.shell import simple_commands
from controlplane.stack.shell_invocation import script_of
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


@pytest.mark.parametrize(
    ("words", "script", "parameters"),
    [
        (["sh", "-c", "a"], "a", []),
        (["/bin/bash", "-ec", "a", "name", "1", "2"], "a", ["1", "2"]),
        (["bash", "-o", "pipefail", "-c", "a"], "a", []),
        (["bash", "-eo", "pipefail", "-lc", "a"], "a", []),
        (["bash", "--login", "-c", "a"], "a", []),
    ],
)
def test_the_script_of_a_shell_is_found(words: list[str], script: str, parameters: list[str]) -> None:
    found = script_of([word(text) for text in words])
    assert found is not None
    assert (found[0].text, list(texts(found[1]))) == (script, parameters)


@pytest.mark.parametrize(
    "words", [[], ["bash"], ["bash", "run.sh"], ["sh", "-c"], ["vllm", "-c", "a"], ["bash", "-o"]]
)
def test_other_uses_of_a_shell_have_no_script(words: list[str]) -> None:
    assert script_of([word(text) for text in words]) is None


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
