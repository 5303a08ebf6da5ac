"""Write `schemas/vllm/`: the arguments of `vllm serve`, release by release, and what became of those that are gone.

    python -m tools.schemas.vllm_arguments --date 2026-11-29               # every release below; uses the network
    python -m tools.schemas.vllm_arguments --date 2026-11-29 0.33.0        # these releases, then index and removals
    python -m tools.schemas.vllm_arguments --check                         # files and index agree; offline

`--archives FOLDER` takes sdists and wheels that are already there. The date is written into the tables, so that the
same command gives the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from tools.schemas.release import NoRelease, Release, fetch, read
from tools.schemas.vllm_history import removals, since
from tools.schemas.vllm_table import Entry, arguments_of

FORMAT = 1
FOLDER = Path(__file__).parents[2] / "schemas" / "vllm"
_PATCHES = "0.8.5 0.9.0 0.9.2 0.10.0 0.10.1 0.10.2 0.11.0 0.11.1 0.11.2"
RELEASES = (*_PATCHES.split(" "), *(f"0.{minor}.0" for minor in range(12, 34)))
WHEEL_ONLY = ("0.15.0",)
"""Releases published without an sdist."""


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done or in order, 1 not in order, 2 usage."""
    parser = argparse.ArgumentParser(prog="python -m tools.schemas.vllm_arguments", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("releases", nargs="*", default=RELEASES)
    parser.add_argument("--check", action="store_true", help="only compare the files with the index")
    parser.add_argument("--date", help="the day the archives were read, YYYY-MM-DD")
    parser.add_argument("--archives", type=Path, help="folder with vllm-X.Y.Z.tar.gz or wheels")
    options = parser.parse_args(arguments)
    if options.check:
        return _report(problems(FOLDER))
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", options.date or ""):
        parser.error("--date YYYY-MM-DD is needed to write tables")
    FOLDER.mkdir(parents=True, exist_ok=True)
    failed = [release for release in reversed(options.releases) if not write(release, options.date, options.archives)]
    write_index(FOLDER)
    return _report([f"{release}: no table was written" for release in failed] + problems(FOLDER))


def _report(found: list[str]) -> int:
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


def write(version: str, date: str, archives: Path | None) -> bool:
    """Write one release's table; False where pip does not have it."""
    with tempfile.TemporaryDirectory() as scratch:
        try:
            archive = find_archive(version, archives) or fetch(
                "vllm", version, Path(scratch), wheel=version in WHEEL_ONLY
            )
        except NoRelease as refused:
            print(f"{version}: {refused}", file=sys.stderr)
            return False
        release = read("vllm", version, archive)
    arguments, undecided = arguments_of(release)
    for statement in undecided:
        print(f"{version}: not followed: {statement}", file=sys.stderr)
    (FOLDER / f"arguments-{version}.json").write_text(table_text(release, date, arguments), encoding="utf-8")
    print(f"{version}: {len(arguments)} arguments from {release.archive}")
    return True


def find_archive(version: str, archives: Path | None) -> Path | None:
    """The archive of a release in a folder of archives, or None."""
    names = (f"vllm-{version}.tar.gz", f"vllm-{version}-*.whl")
    return next((found for name in names for found in sorted(archives.glob(name))), None) if archives else None


def table_text(release: Release, date: str, arguments: Mapping[str, Entry]) -> str:
    """The table's file: one argument a line, so that two releases can be compared by eye."""
    source = {"package": release.name, "version": release.version, "file": release.archive, "sha256": release.sha256}
    head = {"format_version": FORMAT, "date": date, "source": source}
    return _with_lines(head, "arguments", arguments)


def _with_lines(head: Mapping[str, object], key: str, lines: Mapping[str, object]) -> str:
    first = json.dumps(head, ensure_ascii=False)[:-1]
    body = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in lines.items())
    return f'{first}, "{key}": {{\n{body}\n}}}}\n'


def order_of(version: str) -> tuple[int, ...]:
    """The version as numbers, to sort by."""
    return tuple(int(part) for part in version.split("."))


def tables(folder: Path) -> dict[str, dict[str, Entry]]:
    """The arguments of every table in the folder, oldest release first."""
    found = {path.stem.removeprefix("arguments-"): path for path in folder.glob("arguments-*.json")}
    ordered = sorted(found, key=order_of)
    return {version: json.loads(found[version].read_text(encoding="utf-8"))["arguments"] for version in ordered}


def write_index(folder: Path) -> None:
    """Write the removals, then the index with the digest of every other file."""
    known = tables(folder)
    gone = dict(sorted(removals(known).items()))
    (folder / "removed.json").write_text(_with_lines({"format_version": FORMAT}, "removed", gone), encoding="utf-8")
    files = {version: {"file": f"arguments-{version}.json"} for version in known}
    digests = {version: entry | {"sha256": digest(folder / entry["file"])} for version, entry in files.items()}
    head = {"format_version": FORMAT, "removed": {"sha256": digest(folder / "removed.json")}, "versions": digests}
    (folder / "index.json").write_text(_with_lines(head, "since", since(known)), encoding="utf-8")


def digest(path: Path) -> str:
    """sha256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def problems(folder: Path) -> list[str]:
    """What in the folder disagrees with its index; empty when all is in order."""
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    listed = {entry["file"]: entry["sha256"] for entry in index["versions"].values()}
    listed["removed.json"] = index["removed"]["sha256"]
    present = {path.name for path in (*folder.glob("arguments-*.json"), *folder.glob("removed*.json"))}
    return [
        *(f"{name}: listed in index.json but missing" for name in sorted(listed.keys() - present)),
        *(f"{name}: not listed in index.json" for name in sorted(present - listed.keys())),
        *_changed(folder, {name: listed[name] for name in sorted(present & listed.keys())}),
    ]


def _changed(folder: Path, listed: Mapping[str, str]) -> Iterable[str]:
    for name, expected in listed.items():
        found = digest(folder / name)
        if found != expected:
            yield f"{name}: sha256 {found[:12]} but index.json says {expected[:12]}; write it with the generator"


if __name__ == "__main__":
    sys.exit(main())
