"""Running operations on a workspace that another process has open."""
