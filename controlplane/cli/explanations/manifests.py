"""Findings of the readers of manifests: values that the API server or Ray Serve refuses by their type."""

from __future__ import annotations

from controlplane.cli.explanations.explanation import Explanation
from controlplane.diagnostics import Severity

MANIFESTS = {
    "kubernetes/field-type": Explanation(
        "A field of a manifest has a value of the wrong kind.",
        Severity.ERROR,
        "The API server refuses the object: a number where a text belongs (`value: 8` of an environment variable), a "
        "text where a number belongs, a mapping where a list belongs.",
        "Write a value of the kind that the message names; quote a number or a truth value that is meant as a text.",
    ),
    "kubernetes/field-unknown": Explanation(
        "A key of a custom resource is misspelt.",
        Severity.ERROR,
        "kubectl refuses a key that the schema does not have. Whoever sends it without that check has it dropped "
        "without a word: the object is accepted, and what the key was to say is not done. Only keys that are spelled "
        "almost like another are told; any other may belong to a release that is newer than the tables.",
        "Write the key as the schema has it.",
    ),
    "ray/field-type": Explanation(
        "A field of a job's runtime environment has a value of the wrong kind.",
        Severity.ERROR,
        "The operator passes the text on unread. Ray refuses it when the job is submitted, and the job fails.",
        "Write a value of the kind that the message names.",
    ),
    "serve/field-type": Explanation(
        "A field inside serveConfigV2 has a value of the wrong kind.",
        Severity.ERROR,
        "The operator passes the text on unread. Ray Serve refuses the whole configuration, and the RayService never "
        "becomes ready.",
        "Write a value of the kind that the message names.",
    ),
}
