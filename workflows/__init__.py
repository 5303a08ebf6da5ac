"""Temporal: the rollout, the entity that is a service's lock and memory, the drift check, and their worker.

Imported only as `controlplane.workflows`, and only by `cli`. Workflow files import `messages`, `ports` and the pure
core; clients are loaded by `activities` and `worker` alone.
"""
