"""The API: a workspace for other programs, over HTTP."""
