"""Findings about policies: their keys and values, references between them, and what they resolve to."""

from __future__ import annotations

from controlplane.cli.explanations.explanation import Explanation
from controlplane.diagnostics import Severity

_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

_KEYS = {
    "policy/bad-value": Explanation(
        "A policy has a value outside what its key takes.",
        _ERROR,
        "The key's type, its bounds or its form forbid it.",
        "Write a value that the message names as allowed.",
    ),
    "policy/duplicate-name": Explanation(
        "Two things of one kind have the same name.",
        _ERROR,
        "References go by name, so it could not be told which is meant.",
        "Rename or remove one of them.",
    ),
    "policy/duplicate-variable": Explanation(
        "An environment variable is set twice.",
        _ERROR,
        "Kubernetes merges variables by name, and refuses or drops one.",
        "Remove one of the two.",
    ),
    "policy/empty-value": Explanation(
        "A key has no value.",
        _ERROR,
        "Null is no value here; a default is not taken for it.",
        "Give it a value, or leave the key out.",
    ),
    "policy/key-without-effect": Explanation(
        "A key is set that does nothing here.",
        _WARNING,
        "Another setting rules it out, so whoever reads the policy is misled.",
        "Remove the key, or change the setting that rules it out.",
    ),
    "policy/literal-secret": Explanation(
        "A secret stands in the policy in plain text.",
        _ERROR,
        "It would be in the repository, in the manifests and in every diff.",
        "Put it into a Secret of the namespace and refer to it.",
    ),
    "policy/locked-key": Explanation(
        "A service overrides a key that its policy locks.",
        _ERROR,
        "The owner of the named policy has decided it for all services.",
        "Remove the key, or have the owner unlock it.",
    ),
    "policy/misplaced-key": Explanation(
        "A key stands in a section that is not its home.",
        _ERROR,
        "A knob has one home: machines, tasks or memory. Kubernetes does not limit an engine's GPU memory, and vLLM "
        "does not decide where a pod runs.",
        "Move it to the section that the message names.",
    ),
    "policy/missing-key": Explanation(
        "A key that is needed is not there.",
        _ERROR,
        "There is no default that would be right for everyone.",
        "Add the key; the message names the choices.",
    ),
    "policy/unknown-key": Explanation(
        "A policy has a key that does not exist.",
        _ERROR,
        "A misspelt key that is ignored is a setting that silently has no effect.",
        "Write the key that the message names as near, or remove it.",
    ),
    "policy/reference-not-given": Explanation(
        "A policy refers to something that is not among the files that lint was given.",
        _INFO,
        "Where only some files are linted, as before a commit, what they refer to may be in another. Of a folder, "
        "and in every other verb, it is policy/unknown-reference and an error.",
        "Lint the whole folder, or name the Fleet with --fleet.",
    ),
    "policy/unknown-gpu": Explanation(
        "A pool of a Fleet has a GPU that the catalogue does not know.",
        _WARNING,
        "Its memory and generation are not known, so rules that go by them keep silent. Without a name that is near "
        "it may be a new product, and the finding is an info.",
        "Write the name that the message names as near, or the nodes' product label.",
    ),
    "policy/unknown-kind": Explanation(
        "A document of ours has a kind that does not exist.",
        _ERROR,
        "It cannot be read.",
        "Write one of the kinds named.",
    ),
    "policy/unknown-locked-key": Explanation(
        "A policy locks a key that its section does not have.",
        _ERROR,
        "The lock would guard nothing.",
        "Name a key of the section.",
    ),
    "policy/unknown-reference": Explanation(
        "A policy refers to something that is not there.",
        _ERROR,
        "Policies are found by name in the same folder, pools and namespaces in the Fleet.",
        "Correct the name, or add what it names.",
    ),
    "policy/unknown-version": Explanation(
        "A policy has an apiVersion that is not known.",
        _ERROR,
        "Its keys may mean something else.",
        "Write the version that the message names.",
    ),
    "policy/wrong-type": Explanation(
        "A policy has a value of the wrong type.",
        _ERROR,
        "A text is no number, and a list is no mapping.",
        "Write a value of the type named.",
    ),
    "policy/two-fleets": Explanation(
        "Services in one run belong to different Fleets.",
        _ERROR,
        "One run is for one cluster.",
        "Put the services of each Fleet into a folder of their own.",
    ),
}

_ENGINE = {
    "policy/arguments-exclude-each-other": Explanation(
        "Two arguments of the engine exclude each other.",
        _ERROR,
        "vLLM refuses to start with both.",
        "Remove one of them.",
    ),
    "policy/bad-argument-value": Explanation(
        "An argument has a value that vLLM of this version refuses.",
        _ERROR,
        "The engine would end while it starts.",
        "Write a value that the message names as allowed.",
    ),
    "policy/duplicate-argument": Explanation(
        "An argument is set by its key and in extraArgs.",
        _ERROR,
        "One of the two would win in silence.",
        "Remove it from extraArgs.",
    ),
    "policy/image-version-differs": Explanation(
        "The image's tag names another version of vLLM than the policy.",
        _WARNING,
        "Arguments are checked and written for the policy's version, and read by the image's.",
        "Make both the same.",
    ),
    "policy/nearest-vllm-version": Explanation(
        "A patch release of vLLM is checked against its neighbour.",
        _INFO,
        "There is no table of arguments for exactly this release; those of one minor release rarely differ.",
        "Nothing, if the release exists.",
    ),
    "policy/unknown-argument": Explanation(
        "vLLM of this version does not have an argument.",
        _ERROR,
        "The engine would refuse to start.",
        "Write the argument that the message names, or remove it.",
    ),
    "policy/unknown-vllm-version": Explanation(
        "There is no table of arguments for a version of vLLM.",
        _ERROR,
        "Nothing is guessed about a version that is not known.",
        "Write one of the versions that the message names, if that is what the image holds.",
    ),
    "policy/unusual-argument-value": Explanation(
        "An argument has a value that vLLM's own choices do not name.",
        _WARNING,
        "The argument also takes names that a plug-in registers, so the value may be right.",
        "Check the spelling.",
    ),
    "policy/unknown-weights": Explanation(
        "The size of a model's weights is not known.",
        _INFO,
        "The time a start may take is then taken to be long, so a start that hangs is noticed late.",
        "Set model.weights to the size of the checkpoint's weight files.",
    ),
}

_MACHINES = {
    "policy/too-many-nodes": Explanation(
        "The pools of a Fleet may grow to more nodes than any cluster has.",
        _ERROR,
        "Placement is worked out for every node, and a number that no cluster reaches is a slip.",
        "Lower nodes.max of the pools, or describe each cluster in a Fleet of its own.",
    ),
    "policy/colliding-name": Explanation(
        "A service's name makes Kubernetes set variables that other programs read as theirs.",
        _ERROR,
        "Every Service sets NAME_PORT and its like in the pods of its namespace; for a Service called `vllm` that is "
        "VLLM_PORT, which vLLM reads as a number and stops.",
        "Name the service otherwise.",
    ),
    "policy/engine-larger-than-node": Explanation(
        "An engine needs more GPUs than a node has.",
        _ERROR,
        "The runtime keeps an engine on one node, so its pod would never be scheduled.",
        "Lower tensorParallel or pipelineParallel, or choose a pool with more GPUs a node.",
    ),
    "policy/feature-off": Explanation(
        "A feature of Kubernetes is used that this version does not have on.",
        _ERROR,
        "The API server drops the field or refuses the object.",
        "Upgrade the cluster, or do without it.",
    ),
    "policy/fewer-gpus-than-engine": Explanation(
        "A pod has fewer GPUs than its engine needs.",
        _ERROR,
        "vLLM refuses to start when the world size exceeds the GPUs it sees.",
        "Set gpusPerPod to the engine's number, or leave it out.",
    ),
    "policy/idle-gpus": Explanation(
        "A pod has more GPUs than its engine uses.",
        _WARNING,
        "The rest is reserved and idle: Kubernetes gives a GPU to one pod.",
        "Set gpusPerPod to the engine's number, or raise tensorParallel.",
    ),
    "policy/pod-larger-than-node": Explanation(
        "A pod asks for more than any node of its pool offers.",
        _ERROR,
        "It would stay Pending for ever.",
        "Lower the request, or choose a pool with larger nodes.",
    ),
    "policy/pods-do-not-fit": Explanation(
        "A pool, even fully grown, does not hold all pods.",
        _ERROR,
        "Some of them would stay Pending.",
        "Lower replicas or requests, choose another pool, or raise nodes.max in the Fleet.",
    ),
    "policy/pool-without-gpus": Explanation(
        "A service's pool has no GPUs.", _ERROR, "The engine needs at least one.", "Choose a pool with GPUs."
    ),
    "policy/reserved-label": Explanation(
        "A policy sets a label that finds pods and objects.",
        _ERROR,
        "Its value is always ours; another would make the Service or the rollout miss the pods.",
        "Remove the label.",
    ),
    "policy/selector-misses-pool": Explanation(
        "A pool's selector wants labels that its nodes do not have.",
        _ERROR,
        "No pod would be placed in it.",
        "Add the label to the pool, or take it off the selector.",
    ),
    "policy/selector-picks-other-pool": Explanation(
        "A pool's selector picks nodes of other pools too.",
        _WARNING,
        "Its pods may land on machines that they were not meant for.",
        "Give the pool a label that no other has.",
    ),
    "policy/shared-memory-above-limit": Explanation(
        "The shared memory may grow beyond the pod's memory limit.",
        _ERROR,
        "It counts against that limit, so a full /dev/shm ends the container.",
        "Raise machine.memory, or lower machine.sharedMemory.",
    ),
}

_ROLLOUT = {
    "policy/grace-shorter-than-drain": Explanation(
        "The grace period ends before requests in flight do.",
        _ERROR,
        "The kubelet kills the engine in the middle of them.",
        "Raise termination.grace to what the message adds up, or leave it out.",
    ),
    "policy/startup-shorter-than-reading": Explanation(
        "A start counts as failed before the weights can be read.",
        _WARNING,
        "The kubelet would restart every engine before it is ready, for ever.",
        "Leave probes.startup out to have it computed, or set it well above the reading time.",
    ),
    "policy/startup-too-long": Explanation(
        "Reading the weights would take days.",
        _ERROR,
        "The size or the bandwidth is probably in the wrong unit.",
        "Correct model.weights, or the bandwidth of the storage in the Fleet.",
    ),
    "policy/surge-does-not-fit": Explanation(
        "There is no room for the pods that a rollout starts beside the old ones.",
        _ERROR,
        "The new pod stays Pending, no old one goes, and the rollout stands still.",
        "Set surge to 0, or give the pool room for one more.",
    ),
    "policy/surges-share-room": Explanation(
        "Rollouts of several services need the same room at once.",
        _WARNING,
        "Some wait for others, and may run into their timeouts.",
        "Roll them out one after the other, or give the pool more room.",
    ),
    "policy/timeout-shorter-than-startup": Explanation(
        "A rollout gives an engine less time than a start may take.",
        _ERROR,
        "A good revision would be returned.",
        "Raise timeouts.memory, or leave it out.",
    ),
}

POLICIES = {**_KEYS, **_ENGINE, **_MACHINES, **_ROLLOUT}
