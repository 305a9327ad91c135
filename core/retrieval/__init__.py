"""A query -> hits and a context; which notes are near others."""
