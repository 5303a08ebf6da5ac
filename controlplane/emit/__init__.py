"""Stack -> Bundle: manifests in which every field knows where it came from."""
