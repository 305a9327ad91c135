"""Interfaces to a workspace for users and programs, all built from the same operations."""
