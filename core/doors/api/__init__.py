"""A workspace's HTTP API, for other programs."""

PLACE = "/api"
"""The path at which the API is mounted."""
