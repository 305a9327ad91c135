"""The doctor: checks of a workspace, what each means, and how it is mended."""
