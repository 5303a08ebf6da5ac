"""The one arithmetic of what fits where: pods onto nodes."""
