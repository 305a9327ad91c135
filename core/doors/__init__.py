"""The ways into a workspace for users and programs; all read the same operations."""
