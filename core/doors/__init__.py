"""Interfaces of a workspace for users and programs, all made from the same operations."""
