"""The doctor: checks on a workspace, with explanations and repairs."""
