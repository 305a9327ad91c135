"""Back up a workspace to zip files: its database, preferences, word lists and trash, but not its models or index."""
