"""Defaults by GPU, as `EngineArgs.get_batch_defaults` of each release gives them."""

from __future__ import annotations

import pytest

from controlplane.stack.engine_defaults import Usage, batch_defaults
from controlplane.stack.gpu_catalogue import gpu


@pytest.mark.parametrize(
    ("version", "name", "usage", "tokens", "sequences"),
    [
        ("0.33.0", "H100-80GB", "server", 8192, 1024),
        ("0.33.0", "H100-80GB", "offline", 16384, 1024),
        ("0.33.0", "H100", "server", 8192, 1024),  # 80 and 94 GB alike
        ("0.33.0", "A100-80GB", "server", 2048, 256),
        ("0.33.0", "A100", "server", 2048, 256),
        ("0.8.5", "A100-80GB", "server", 8192, 1024),  # the exception for A100 came with 0.9
        ("0.9.0", "A100-80GB", "server", 2048, 256),
        ("0.33.0", "L4", "server", 2048, 256),
        ("0.33.0", "L4", "offline", 8192, 256),
        ("0.27.0", "B200", "server", 8192, 1024),
        ("0.28.0", "B200", "server", 16384, 1024),
        ("0.28.0", "MI300X", "server", 16384, 1024),
        ("0.28.0", "H200", "server", 8192, 1024),
        ("v0.33.0-cu129", "H200", "server", 8192, 1024),
    ],
)
def test_defaults_follow_from_memory_and_usage(
    version: str, name: str, usage: Usage, tokens: int, sequences: int
) -> None:
    product = gpu(name)
    assert product is not None
    found = batch_defaults(version, product, usage)
    assert found is not None
    assert (found.max_num_batched_tokens, found.max_num_seqs) == (tokens, sequences)


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("0.8.5", "A100"),  # 40 or 80 GB fall on either side of 70 GiB
        ("0.32.0", "GB10"),  # its memory is the machine's
        ("0.99.0", "L4"),
        ("nightly", "L4"),
    ],
)
def test_no_answer_where_it_is_not_certain(version: str, name: str) -> None:
    product = gpu(name)
    assert product is not None
    assert batch_defaults(version, product) is None


def test_gb10_is_excluded_from_the_large_tier_by_its_capability() -> None:
    product = gpu("GB10")
    assert product is not None
    assert product.compute_capability == (12, 1)
    assert batch_defaults("0.33.0", product) is None
