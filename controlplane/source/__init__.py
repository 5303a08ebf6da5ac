"""YAML text to documents whose every key, value and alias use has its exact place."""
