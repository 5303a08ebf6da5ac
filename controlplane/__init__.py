"""A control plane for serving language models: Kubernetes manages machines, Ray tasks, vLLM memory."""

from __future__ import annotations

__version__ = "0.1.0"

API_VERSION = "controlplane.dev/v1alpha1"
"""The apiVersion of every policy kind."""

FIELD_MANAGER = "controlplane"
"""The one field manager of everything we apply; its name is part of every live object, so it never changes."""
