"""Feeds lint with whatever comes, for as long as is wanted: `python -m tests.soak.lint MINUTES [SEED] [FOLDER...]`.

Every input is made from its surface and number alone, so what is printed for a fault finds it again: `SURFACE#NUMBER`
in the place of MINUTES runs that one input and leaves its files in a folder. Exits 1 where anything was wrong.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from tests.soak import corpus as manifests
from tests.soak.checks import Hangs, faults, limited
from tests.soak.surfaces import SURFACES, Corpus


def one(surface: str, number: int, corpus: Corpus, folder: Path, seed: int = 1) -> list[str]:
    """What is wrong with one input: its faults, or the traceback's end."""
    chance = Random(zlib.crc32(f"{seed}/{surface}/{number}".encode()))  # noqa: S311 - the same input each time
    try:
        with limited():
            return list(faults(SURFACES[surface](chance, corpus), folder, every_format=number % 8 == 0))
    except (Exception, Hangs) as error:
        frames = [
            f
            for f in traceback.extract_tb(error.__traceback__)
            if "controlplane/" in f.filename or "soak" in f.filename
        ]
        place = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in frames[::-1][:4])
        return [f"{type(error).__name__}: {str(error)[:200]} ({place})"]


def soak(minutes: float, seed: int, corpus: Corpus, surfaces: Sequence[str]) -> int:
    """Go round the surfaces until the time is over; how many faults there were."""
    with tempfile.TemporaryDirectory() as place:
        for surface in surfaces:  # so that loading tables and models counts for no input
            one(surface, 0, corpus, Path(place) / "in", seed)
    ends = time.monotonic() + minutes * 60
    told: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    inputs: Counter[str] = Counter()
    number = worst = 0
    memory = [0]
    with tempfile.TemporaryDirectory() as place:
        while time.monotonic() < ends:
            for surface in surfaces:
                begun = time.monotonic()
                for fault in one(surface, number, corpus, Path(place) / "in", seed):
                    kind = f"{surface}: {fault.partition('(')[2] or fault[:60]}"
                    told[kind] += 1
                    if told[kind] <= 2:
                        _tell(f"{surface}#{number}: {fault}")
                took = time.monotonic() - begun
                worst = max(worst, took)
                seconds[surface] += took
                inputs[surface] += 1
            number += 1
            if number % 100 == 0:
                memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    for surface in surfaces:
        _tell(f"{surface:<14} {inputs[surface]:>7} inputs {seconds[surface] / 60:6.1f} minutes")
    _tell(f"slowest {worst:.2f} s; memory in MiB after each hundredth round: {memory[1:6]} ... {memory[-3:]}")
    for kind, count in told.most_common():
        _tell(f"{count:>6} x {kind}")
    return sum(told.values())


def _tell(line: str) -> None:
    sys.stdout.write(line.encode(errors="backslashreplace").decode() + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str]) -> int:
    """Run as a program."""
    what, rest = (arguments[0] if arguments else "1"), list(arguments[1:])
    seed = int(rest.pop(0)) if rest and rest[0].isdigit() else 1
    texts = manifests.texts(rest)
    corpus = Corpus(texts, manifests.trees(texts))
    surface, mark, number = what.partition("#")
    if mark:
        folder = Path(tempfile.mkdtemp()) / "in"
        found = one(surface, int(number), corpus, folder, seed)
        _tell("\n".join([f"the input is in {folder}", *found]))
        return bool(found)
    return bool(soak(float(what), seed, corpus, list(SURFACES)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
