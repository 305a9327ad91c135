"""The HTTP API of a workspace, for other programs."""

PLACE = "/api"
"""The path at which the API is mounted."""
