"""The API: a workspace for other programs, over HTTP."""

PLACE = "/api"
"""The path at which the API is mounted."""
