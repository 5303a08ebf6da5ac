"""Findings of the YAML reader: the file itself, its characters, its structure, its scalars."""

from __future__ import annotations

from controlplane.cli.explanations.explanation import Explanation
from controlplane.diagnostics import Severity

_LIMIT = (
    "A few lines of YAML can stand for gigabytes. What is read is therefore bounded, and a bound that is met is said "
    "rather than met in silence."
)

YAML_FILES = {
    "yaml/alias-cycle": Explanation(
        "An alias stands inside the anchor that it names.",
        Severity.ERROR,
        "Its value would contain itself without end, and no reader below us takes it.",
        "Write the value out, or move the anchor to the part that is meant.",
    ),
    "yaml/alias-expansion": Explanation(
        "The file's aliases stand for more values than are read.",
        Severity.ERROR,
        _LIMIT,
        "Use fewer aliases, or split the file.",
    ),
    "yaml/ambiguous-scalar": Explanation(
        "A plain scalar means different things to the readers it passes through.",
        Severity.ERROR,
        "`no` is a text in YAML 1.2 and false to Kubernetes; `012` is 12 or 10; `12:30` can be 750. What one program "
        "checks would not be what another applies.",
        "Quote it if it is a text, or write the value in a form that every reader takes alike.",
    ),
    "yaml/bidi-control": Explanation(
        "The file holds a control of text direction.",
        Severity.ERROR,
        "It can make a line read otherwise than it is, and so hide a change from whoever reviews it.",
        "Remove it, or write it as an escape in double quotes.",
    ),
    "yaml/control-character": Explanation(
        "The file holds a control character.",
        Severity.ERROR,
        "YAML does not allow it, and a reader stops there.",
        "Remove it, or write it as an escape in double quotes.",
    ),
    "yaml/custom-tag": Explanation(
        "A tag names a type that cannot stand here.",
        Severity.WARNING,
        "Readers differ on tags: some refuse the file, some ignore the tag and take the value as it looks.",
        "Remove the tag.",
    ),
    "yaml/duplicate-key": Explanation(
        "A mapping has the same key twice.",
        Severity.ERROR,
        "Kubernetes' reader keeps the last and drops the first without a word; other readers refuse the file.",
        "Keep one of the two and remove the other.",
    ),
    "yaml/empty-file": Explanation(
        "The file has no document in it.",
        Severity.WARNING,
        "Nothing was read from it, so nothing in it was checked.",
        "Write a document into it, or leave the file out.",
    ),
    "yaml/invisible-character": Explanation(
        "The file holds a character that cannot be seen.",
        Severity.WARNING,
        "Two texts that look the same differ, and a name or a selector silently matches nothing.",
        "Remove it; put an ordinary space where a no-break space stands.",
    ),
    "yaml/merge-key": Explanation(
        "A merge key is used in a way that readers disagree on.",
        Severity.WARNING,
        "`<<` is no part of YAML 1.2. Readers differ on a second one, and on which value wins where both sides have "
        "a key.",
        "Name all merged mappings in one list, the one that wins first, or write the keys out.",
    ),
    "yaml/non-string-key": Explanation(
        "A key is not a text.",
        Severity.WARNING,
        "JSON, and so Kubernetes, knows only texts as keys. A number or a truth value is turned into one, and not by "
        "every reader into the same.",
        "Quote the key.",
    ),
    "yaml/not-utf8": Explanation(
        "The file is not encoded in UTF-8.",
        Severity.ERROR,
        "Its characters cannot be told, so nothing in it was read.",
        "Save the file as UTF-8.",
    ),
    "yaml/nul-byte": Explanation(
        "The file holds a NUL character.",
        Severity.ERROR,
        "A YAML file is text; with a NUL in it, it is something else, or UTF-16.",
        "Remove it, or save the file as UTF-8.",
    ),
    "yaml/tab-indentation": Explanation(
        "A line is indented with tabs.",
        Severity.ERROR,
        "YAML allows only spaces there, so the document cannot be read.",
        "Indent with spaces, two for each level.",
    ),
    "yaml/too-deep": Explanation(
        "Lists and mappings stand too deep inside each other.", Severity.ERROR, _LIMIT, "Nest less deeply."
    ),
    "yaml/too-large": Explanation(
        "The file is larger than what is read.", Severity.ERROR, _LIMIT, "Split the file, or name the right one."
    ),
    "yaml/too-many-directives": Explanation(
        "Too many lines begin with `%`.", Severity.ERROR, _LIMIT, "Remove the directives; manifests need none."
    ),
    "yaml/too-many-documents": Explanation(
        "The file has more documents than are read.", Severity.ERROR, _LIMIT, "Split the file."
    ),
    "yaml/too-many-findings": Explanation(
        "The file has more findings than are told one by one.",
        Severity.WARNING,
        "The rest is counted. What follows may not have been read.",
        "Repair what is told and run again.",
    ),
    "yaml/too-many-nodes": Explanation(
        "There are more values in the file than are read.",
        Severity.ERROR,
        _LIMIT,
        "Split the file.",
    ),
    "yaml/too-many-unreadable-documents": Explanation(
        "Reading stopped after many documents that cannot be read.",
        Severity.ERROR,
        _LIMIT,
        "Repair what is told and run again.",
    ),
    "yaml/undefined-alias": Explanation(
        "An alias names no anchor above it.",
        Severity.ERROR,
        "Anchors hold only within their document, and only below the place where they stand.",
        "Define the anchor before it is used, or write the value out.",
    ),
    "yaml/unreadable-scalar": Explanation(
        "A scalar looks like a value of its type and cannot be read as one.",
        Severity.ERROR,
        "The reader it is meant for stops at it.",
        "Write a value that can be read, or quote it if it is a text.",
    ),
    "yaml/unusual-line-break": Explanation(
        "The file holds a line break that not every reader counts as one.",
        Severity.WARNING,
        "NEL, LS and PS end a line in YAML 1.1 and for Kubernetes' reader, and are ordinary characters in YAML 1.2 "
        "and in editors.",
        "Start a new line instead, or write it as an escape in double quotes.",
    ),
    "yaml/directive": Explanation(
        "A directive has no effect on how the file is read.",
        Severity.WARNING,
        "Readers go by their own rules, whatever version a `%YAML` line names.",
        "Remove the directive.",
    ),
    "yaml/syntax": Explanation(
        "A document is not YAML.",
        Severity.ERROR,
        "It cannot be read, so nothing in it was checked. The other documents of the file were.",
        "Repair the place; the message says what was expected there.",
    ),
}
