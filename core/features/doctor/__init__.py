"""Check a workspace for problems, explain them, and repair what can be repaired."""
