"""Exit codes of every verb; nowhere else does a number mean something.

0 and 1 are the verb's yes and no (`lint`: clean / findings, `drift`: none / drift, ...). `plan --detailed-exitcode`
alone uses 2 for "there are changes", as Terraform does.
"""

from __future__ import annotations

import enum


class Exit(enum.IntEnum):
    """What a verb ends with."""

    OK = 0
    NEGATIVE = 1
    NOTHING_TO_READ = 2
    CHANGES = 2  # only `plan --detailed-exitcode`
    CANNOT_TELL = 3
    REFUSED = 4
    USAGE = 64
    BUG = 70
    INTERRUPTED = 130


class VerbEnd(Exception):
    """Ends a verb early with a message for people (on standard error) and an exit code."""

    def __init__(self, code: Exit, message: str = "", remedy: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = remedy
