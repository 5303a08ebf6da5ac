"""Names of labels and annotations on nodes: ours, and those of the vendors' device plug-ins."""

from __future__ import annotations

from typing import Final

POOL_LABEL: Final = "controlplane.dev/pool"
"""The pool a node belongs to."""

ACCELERATOR_ANNOTATION: Final = "controlplane.dev/accelerator"
"""The catalogue name of a node's accelerators, on nodes that we make for a simulated cluster."""

SHARING_ANNOTATION: Final = "controlplane.dev/accelerator-sharing"
"""How the node offers them (a value of `Sharing`), beside `ACCELERATOR_ANNOTATION`."""

GPU_PRODUCT_LABEL: Final = "nvidia.com/gpu.product"
"""The product as NVIDIA's GPU feature discovery writes it; a suffix `-SHARED` marks time slicing."""

GPU_SHARING_LABEL: Final = "nvidia.com/gpu.sharing-strategy"
"""Sharing as NVIDIA's device plug-in writes it: none, time-slicing or mps."""
