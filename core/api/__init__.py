"""The API: a workspace for other programs, over HTTP."""

PLACE = "/api"
"""Where it is mounted."""
