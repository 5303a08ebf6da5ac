"""The heart: `Stack`, and the readers that make one from manifests."""
