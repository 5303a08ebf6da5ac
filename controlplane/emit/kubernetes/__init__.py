"""Kubernetes objects: one builder a kind, each from its part of the Stack to a tree of sourced values.

Mappings are built in the order in which people read them; `emit.yaml_text` keeps that order.
"""
