"""The doctor: checks of a workspace, with explanations and repairs."""
