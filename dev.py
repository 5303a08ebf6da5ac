#!/usr/bin/env python3
"""Set up this checkout on a fresh machine and run its main jobs. Needs only git and Python 3.11 or newer.

    python3 dev.py demo     the main job: a real local control plane, a rollout, drift healed, a bad revision returned
    python3 dev.py test     all tests (arguments after it go to pytest)
    python3 dev.py static   format, lint, types, import contracts, freshness of generated files
    python3 dev.py check    static and test
    python3 dev.py lock     lock the dependencies again (requirements/*.txt)
    python3 dev.py run ...  the controlplane command of this checkout

Everything is installed into .venv; built programs go to a cache folder outside the checkout (CONTROLPLANE_CACHE).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / "bin"
LOCK = ROOT / "requirements" / "dev.txt"
STAMP = VENV / "controlplane-lock.sha256"
MINIMUM = (3, 11)
SOURCES = ("controlplane", "workflows", "tests", "tools", "benchmarks", "dev.py", "conftest.py")


def main(arguments: list[str]) -> int:
    jobs = {"demo": demo, "test": test, "static": static, "check": check, "lock": lock, "run": run_cli}
    if not arguments or arguments[0] not in jobs:
        sys.stderr.write(__doc__ or "")
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 64
    restart_on_newer_python()
    make_environment()
    return jobs[arguments[0]](arguments[1:])


def restart_on_newer_python() -> None:
    """Start again under a Python that is new enough, or say what is missing."""
    if sys.version_info >= MINIMUM:
        return
    for minor in range(14, 10, -1):
        found = shutil.which(f"python3.{minor}")
        if found and subprocess.run([found, "-c", "pass"], check=False).returncode == 0:
            os.execv(found, [found, *sys.argv])  # noqa: S606 - the same script, under a newer interpreter
    fail(f"Python {sys.version.split()[0]} is too old; 3.11 or newer is needed. Install python3.11 and run again.")


def make_environment() -> None:
    """Create .venv and install exactly what the lock says, unless it is there already."""
    wanted = hashlib.sha256(LOCK.read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text() == wanted and BIN.exists():
        return
    if not (BIN / "python").exists():
        say("creating .venv")
        create_venv()
    say(f"installing the locked dependencies ({LOCK.relative_to(ROOT)}); about a minute")
    pip = [str(BIN / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    call([*pip, "--require-hashes", "--requirement", str(LOCK)])
    call([*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)])
    STAMP.write_text(wanted)


def create_venv() -> None:
    made = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True, check=False)
    if made.returncode:
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        fail(f"python -m venv failed: {made.stdout.strip()[-400:]}\nOn Debian and Ubuntu: apt install {version}-venv")


def demo(arguments: list[str]) -> int:
    return subprocess.run([str(BIN / "python"), str(ROOT / "tools" / "demo.py"), *arguments], check=False).returncode


def test(arguments: list[str]) -> int:
    """Run pytest, a process a core (at most four), each test file in one of them; `-n 0` for one process in all."""
    spread = ["-n", str(min(os.cpu_count() or 1, 4)), "--dist", "loadfile"]
    command = [str(BIN / "python"), "-m", "pytest", *spread, *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def static(arguments: list[str]) -> int:
    """Run every static check, all of them even when one fails."""
    sources = [name for name in SOURCES if (ROOT / name).exists()]
    steps = {
        "format": [str(BIN / "ruff"), "format", "--check", "--quiet", *sources],
        "lint": [str(BIN / "ruff"), "check", "--quiet", *sources],
        "types": [str(BIN / "mypy")],
        "import contracts": [str(BIN / "lint-imports"), "--no-cache"],
        "generated files": [str(BIN / "python"), str(ROOT / "tools" / "generated.py"), "--check"],
    }
    failed = []
    for name, command in steps.items():
        say(name)
        if subprocess.run([*command, *arguments], cwd=ROOT, check=False).returncode:
            failed.append(name)
    say("failed: " + ", ".join(failed) if failed else "all static checks passed")
    return 1 if failed else 0


def check(arguments: list[str]) -> int:
    return static([]) or test(arguments)


def lock(arguments: list[str]) -> int:
    """Lock each set of dependencies, with hashes and without addresses."""
    compile_ = [str(BIN / "uv"), "pip", "compile", "pyproject.toml", "--quiet", "--universal"]
    compile_ += ["--python-version=3.11", "--generate-hashes", "--no-emit-index-url", "--no-emit-find-links"]
    compile_ += ["--custom-compile-command=python3 dev.py lock", *arguments]
    sets = {"core": [], "apply": ["--extra=apply"], "guardrails": ["--extra=guardrails"]}
    sets["dev"] = ["--extra=all", "--group=dev"]
    for name, extras in sets.items():
        call([*compile_, *extras, "--output-file", f"requirements/{name}.txt"])
    return 0


def run_cli(arguments: list[str]) -> int:
    return subprocess.run([str(BIN / "controlplane"), *arguments], check=False).returncode


def call(command: list[str]) -> None:
    result = subprocess.run(command, cwd=ROOT, check=False)
    if result.returncode:
        fail(f"failed with exit {result.returncode}: {' '.join(command)}")


def say(text: str) -> None:
    print(f"dev: {text}", file=sys.stderr, flush=True)


def fail(text: str) -> None:
    sys.exit(f"dev: {text}")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
