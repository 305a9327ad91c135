"""A query -> hits and a context."""
