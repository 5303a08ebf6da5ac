"""Whose reading of YAML: ours, Kubernetes' or vLLM's."""

from __future__ import annotations

import enum


class Dialect(enum.StrEnum):
    """The reader whose rules give a document its values.

    POLICY is YAML 1.2 core, strict: what older readers read otherwise is a finding.
    KUBERNETES is sigs.k8s.io/yaml 1.6 (go.yaml.in/yaml/v2 2.4.4) as kubectl uses it, without strictness.
    VLLM is PyYAML's `safe_load` (6.0), with which vLLM reads its `--config` file.
    """

    POLICY = "policy"
    KUBERNETES = "kubernetes"
    VLLM = "vllm"


Scalar = str | int | float | bool | None
Value = Scalar | list["Value"] | dict[str, "Value"]
