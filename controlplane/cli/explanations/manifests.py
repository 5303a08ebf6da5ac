"""Findings of the readers of manifests: values that the API server or Ray Serve refuses by their type."""

from __future__ import annotations

from controlplane.cli.explanations.explanation import Explanation
from controlplane.diagnostics import Severity

MANIFESTS = {
    "kubernetes/field-value": Explanation(
        "A field of a manifest has a value that is none of the words it takes.",
        Severity.ERROR,
        "The API server refuses the object: the schema of the kind, or its validation, lists the words that the "
        "field may have. For custom resources a word that any release takes is taken for good.",
        "Write one of the words that the message names, in their spelling.",
    ),
    "kubernetes/field-type": Explanation(
        "A field of a manifest has a value of the wrong kind.",
        Severity.ERROR,
        "The API server refuses the object: a number where a text belongs (`value: 8` of an environment variable), a "
        "text where a number belongs, a mapping where a list belongs.",
        "Write a value of the kind that the message names; quote a number or a truth value that is meant as a text.",
    ),
    "kubernetes/field-unknown": Explanation(
        "A field of a manifest is misspelt.",
        Severity.ERROR,
        "kubectl apply asks for strict validation: the API server refuses an object with a field that its kind does "
        "not have. Clients that do not ask for it have the field dropped without a word: the probe, the limit or the "
        "bound is not there. A field is called misspelt only where a known one is spelled much like it and is not "
        "written beside it; the fields are those of the newest Kubernetes that was read, and of every release that "
        "was read of KubeRay, LeaderWorkerSet, KEDA, Kueue and KServe.",
        "Correct the name.",
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
