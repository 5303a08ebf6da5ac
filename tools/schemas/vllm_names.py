"""Write what else the releases of vLLM with an argument table say: variables, metrics, JSON keys, batch defaults.

    python -m tools.schemas.vllm_names --date 2026-11-29     # reads the archive of every release; uses the network
    python -m tools.schemas.vllm_names --check               # the files are as they were written; offline

`--archives FOLDER` takes sdists and wheels that are already there. Run it after `vllm_arguments`: which classes JSON
arguments fill is read from the argument tables.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tools.schemas import digests
from tools.schemas.release import Release, fetch, read
from tools.schemas.stretches import histories
from tools.schemas.vllm_arguments import FOLDER, WHEEL_ONLY, find_archive, tables
from tools.schemas.vllm_batch_defaults import Tier, tiers_of
from tools.schemas.vllm_config_keys import BY_ARGUMENT, keys_of
from tools.schemas.vllm_metric_names import metrics_of
from tools.schemas.vllm_name_replacements import ELSEWHERE, KEYS, METRICS, SOURCE, VARIABLES, Replacements, astray
from tools.schemas.vllm_variables import variables_of

FILES = ("vllm/variables.json", "vllm/metrics.json", "vllm/json-keys.json", "vllm/batch-defaults.json")

Said = dict[str, dict[str, dict[str, object]]]
"""What releases say, by release and name."""


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 done or in order, 1 not in order, 2 usage."""
    parser = argparse.ArgumentParser(prog="python -m tools.schemas.vllm_names", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--check", action="store_true", help="only compare the files with their recorded digests")
    parser.add_argument("--date", help="the day the archives were read, YYYY-MM-DD")
    parser.add_argument("--archives", type=Path, help="folder with vllm-X.Y.Z.tar.gz or wheels")
    options = parser.parse_args(arguments)
    if not options.check:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", options.date or ""):
            parser.error("--date YYYY-MM-DD is needed to write tables")
        _write(options.date, options.archives)
    found = digests.problems(FILES)
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


def _write(date: str, archives: Path | None) -> None:
    said: tuple[Said, Said, Said] = ({}, {}, {})
    sources: dict[str, str] = {}
    tiers: dict[str, list[Tier]] = {}
    for version, arguments in tables(FOLDER).items():
        release = _release(version, archives)
        sources[version] = release.sha256
        tiers[version] = tiers_of(release)
        for into, names in zip(
            said, (variables_of(release), metrics_of(release), keys_of(release, arguments)), strict=True
        ):
            into[version] = names
        print(f"{version}: {', '.join(str(len(into[version])) for into in said)} variables, metrics, keys")
    head = {
        "format_version": 1,
        "date": date,
        "made_by": "tools/schemas/vllm_names.py",
        "source": {"package": "vllm", "sha256": sources},
        "versions": list(sources),
    }
    variables, keys = {**head, "elsewhere": ELSEWHERE}, {**head, "by_argument": BY_ARGUMENT}
    digests.write("vllm", "variables.json", digests.lines(variables, "variables", table(said[0], VARIABLES)))
    digests.write("vllm", "metrics.json", digests.lines(head, "metrics", table(said[1], METRICS)))
    digests.write("vllm", "json-keys.json", digests.lines(keys, "keys", table(said[2], KEYS)))
    digests.write("vllm", "batch-defaults.json", digests.lines(head, "tiers", changes(tiers)))


def table(said: Said, replacements: Replacements) -> dict[str, dict[str, object]]:
    """Histories, with what to use instead of the names that are gone. Raises ValueError for one that is not."""
    found = histories(said)
    newest = list(said.values())[-1]
    gone = found.keys() - newest.keys()
    if strayed := astray(gone, replacements):
        raise ValueError(f"a replacement is given for names that are not gone: {', '.join(strayed)}")
    for name in gone & replacements.keys():
        found[name] |= {**replacements[name], "source": SOURCE}
    return found


def changes(tiers: Mapping[str, list[Tier]]) -> dict[str, list[Tier]]:
    """The tiers of the releases that changed them, oldest first."""
    kept: dict[str, list[Tier]] = {}
    for version, found in tiers.items():
        if not kept or found != list(kept.values())[-1]:
            kept[version] = found
    return kept


def _release(version: str, archives: Path | None) -> Release:
    with tempfile.TemporaryDirectory() as scratch:
        archive = find_archive(version, archives)
        return read("vllm", version, archive or fetch("vllm", version, Path(scratch), wheel=version in WHEEL_ONLY))


if __name__ == "__main__":
    sys.exit(main())
