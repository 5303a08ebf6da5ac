"""The thin client of the Kubernetes API: raw JSON, one connection pool, errors as values of `adapters.errors`."""

from __future__ import annotations

from controlplane.adapters.kubernetes.answers import AlreadyExists
from controlplane.adapters.kubernetes.cluster import Cluster
from controlplane.adapters.kubernetes.proxy import PodAnswer
from controlplane.adapters.kubernetes.reading import ref_of
from controlplane.adapters.kubernetes.revisions import RevisionStore

__all__ = ["AlreadyExists", "Cluster", "PodAnswer", "RevisionStore", "ref_of"]
