"""Generators of the data under `schemas/`. Run from a checkout; never installed."""
