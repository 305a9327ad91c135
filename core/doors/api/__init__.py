"""A workspace's HTTP API, for other programs."""

# The path at which the API is mounted.
PLACE = "/api"
