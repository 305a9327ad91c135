"""The program itself: its jobs, its settings and the state of the workspace that it has open."""
