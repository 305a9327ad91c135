"""The operations on a workspace that interfaces offer, and the machinery for declaring operations."""
