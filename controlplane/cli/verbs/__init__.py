"""One module a verb; each has `command`."""
