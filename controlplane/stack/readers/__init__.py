"""Readers: one module a manifest kind, each from a `Field` to its part of the Stack. None raises on any input."""
