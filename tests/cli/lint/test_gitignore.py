"""Ignore patterns match exactly what git's own `check-ignore` matches."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlplane.cli.lint.gitignore import IgnoreFile, ignored, parse

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is the oracle")

PATHS = (
    "a", "b", "a.yaml", "b.yaml", "ab", "a b", "a!", "#a", "!a", "a\\b", "a]", "[a]", "a-c", "ä.yaml", "a/a", "a/b",
    "a/a.yaml", "a/b/c", "a/b/a.yaml", "b/a", "b/a/b/c.yaml", "b/c/a.yaml", "c/a.yaml", "x/y/z/a.yaml", "a/x/y/b",
    "abc/def", "a/abc", "d1/2", "A/B.yaml",
)  # fmt: skip
FOLDERS = ("a", "a/b", "b", "b/a", "b/a/b", "b/c", "c", "x", "x/y", "x/y/z", "a/x", "abc", "d1", "A")
FILES = tuple(path for path in PATHS if path not in FOLDERS)


def ours(texts: dict[str, str], path: str) -> bool:
    """Whether a path is ignored; folders are asked from the root down, as a walk does."""
    parts = tuple(path.split("/"))
    for length in range(1, len(parts) + 1):
        files: list[IgnoreFile] = []
        for above in range(length):
            folder = parts[:above]
            text = texts.get("/".join(folder))
            if text is not None:
                files.append(parse(text, folder))
        if ignored(files, parts[:length], length < len(parts)):
            return True
    return False


def gits(root: Path, paths: tuple[str, ...]) -> set[str]:
    """The paths that git ignores. `--no-index`: whether a file is tracked is not asked."""
    done = subprocess.run(
        [GIT or "git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=root,
        input="\0".join(paths).encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return set(done.stdout.decode().split("\0")) - {""}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the folders; the files that are asked for need not exist."""
    root = tmp_path_factory.mktemp("repository")
    subprocess.run([GIT or "git", "init", "-q", str(root)], check=True)
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    return root


WORDS = st.sampled_from(
    ["a", "b", "c", "*", "**", "?", "/", "!", "\\", "[", "]", "[ab]", "[!a]", "[^b]", "[a-c]", "[[:alpha:]]", "[]a]",
     "[a-]", ".yaml", " ", "#", "x", "y", "/**/", "**/", "/**", "\\ ", "\\*", "ä", "-", "[b-a]", "[[:nope:]]", "\\!"]
)  # fmt: skip
LINES = st.lists(WORDS, min_size=1, max_size=5).map("".join)
TEXTS = st.lists(LINES, max_size=5).map("\n".join)


@needs_git
@settings(max_examples=250, deadline=None)
@given(TEXTS, TEXTS, st.sampled_from(["a", "a/b", "b", "b/a"]))
def test_random_patterns_match_what_git_matches(tree: Path, outer: str, inner: str, folder: str) -> None:
    for old in tree.rglob(".gitignore"):
        old.unlink()
    (tree / ".gitignore").write_text(outer, encoding="utf-8")
    (tree / folder / ".gitignore").write_text(inner, encoding="utf-8")
    texts = {"": outer, folder: inner}
    expected = gits(tree, FILES)
    assert {path for path in FILES if ours(texts, path)} == expected


@needs_git
@pytest.mark.parametrize(
    "text",
    [
        "*.yaml\n!a.yaml",
        "/a\n",
        "a/\n!a/b/",
        "a/*\n!a/b\n",
        "a/**\n!a/b/\n",
        "**/b/*.yaml",
        "a/**/c",
        "\\#a\n\\!a",
        "a\\ b",
        "a \n",
        "a\\ \n",
        "x/**/a.yaml\n",
        "[[:upper:]]/",
        "foo\\",
        "**",
        "**a",
        "a**b",
        "!",
        "/",
        "//",
        "a//b",
        "\ufeffb.yaml",
        "b.yaml\r\nab\r\n",
    ],
)
def test_pattern_of_a_kind_matches_what_git_matches(tree: Path, text: str) -> None:
    for old in tree.rglob(".gitignore"):
        old.unlink()
    (tree / ".gitignore").write_bytes(text.encode())
    assert {path for path in FILES if ours({"": text}, path)} == gits(tree, FILES)


def test_nearest_file_decides() -> None:
    files = [parse("*.yaml"), parse("!b.yaml", ("a",))]
    assert ignored(files, ("a", "c.yaml"), is_folder=False)
    assert not ignored(files, ("a", "b.yaml"), is_folder=False)
