"""One module a format: values in, text out. Nothing here decides anything."""
