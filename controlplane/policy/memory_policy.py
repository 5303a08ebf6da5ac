"""MemoryPolicy: what vLLM does with its GPUs, written by the model team."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from controlplane.policy.vocabulary import Items, Name, PolicyMetadata, Strict

Word = Annotated[str, Field(min_length=1)]


class MemorySpec(Strict):
    """Parallelism, lengths and caches of one engine. A key that is left out is left to vLLM."""

    tensor_parallel: Annotated[int, Field(ge=1, le=64)] = 1
    """GPUs over which each layer is split."""
    pipeline_parallel: Annotated[int, Field(ge=1, le=64)] | None = None
    """Stages into which the layers are split; left out: one."""
    max_model_len: Annotated[int, Field(ge=1)] | None = None
    """Longest sequence, prompt and answer together, in tokens; left out: what the model allows."""
    max_num_seqs: Annotated[int, Field(ge=1)] | None = None
    """Sequences in one step; left out: vLLM's choice for the GPU."""
    max_num_batched_tokens: Annotated[int, Field(ge=1)] | None = None
    """Tokens in one step; left out: vLLM's choice for the GPU."""
    gpu_memory_utilization: Annotated[float, Field(gt=0, le=1)] | None = None
    """Part of the GPU's memory that the engine takes; left out: vLLM's default for the version."""
    kv_cache_dtype: Word | None = None
    """Type of the KV cache, such as fp8; left out: the model's."""
    dtype: Word | None = None
    """Type of weights and activations, such as bfloat16; left out: the model's."""
    quantization: Word | None = None
    """Quantization method; left out: what the checkpoint says."""
    enable_prefix_caching: bool | None = None
    """Whether equal beginnings of prompts share KV blocks; left out: vLLM's default."""
    scheduling_policy: Word | None = None
    """Order of the waiting queue: fcfs or priority; left out: fcfs."""
    extra_args: Mapping[str, Any] = Field(default_factory=dict)
    """Other arguments of `vllm serve` by name, checked against the arguments of the service's vLLM version."""


class MemoryUse(MemorySpec):
    """A service's memory section: values, or a MemoryPolicy by name with values that override it."""

    policy: Name | None = None
    """MemoryPolicy to start from."""


class MemoryPolicySpec(MemorySpec):
    """A MemoryPolicy's values, and which of them services may not override."""

    locked: Items[str] = ()
    """Keys that a service may not override, such as `maxModelLen`."""


class MemoryPolicy(Strict):
    """What vLLM does with its GPUs, under a name."""

    api_version: Literal["controlplane.dev/v1alpha1"]
    """Version of this form."""
    kind: Literal["MemoryPolicy"]
    """What this is."""
    metadata: PolicyMetadata
    """Its name."""
    spec: MemoryPolicySpec
    """What it says."""
