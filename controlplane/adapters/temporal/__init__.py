"""Temporal as a client sees it: the connection, and the local service where none is configured."""
