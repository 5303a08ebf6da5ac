"""`python -m controlplane.sandbox up|down|status [NAME]`, for working on the sandbox itself."""

from __future__ import annotations

import sys

from controlplane.sandbox.errors import SandboxError
from controlplane.sandbox.lifecycle import DEFAULT_NAME, down, up
from controlplane.sandbox.status import status


def main(verb: str, name: str = DEFAULT_NAME) -> None:
    if verb == "up":
        print(up(name, report=print))
    elif verb == "down":
        print(down(name, report=print))
    else:
        print(status(name))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except SandboxError as error:
        sys.exit(f"{error.fact}\n{error.remedy}")
