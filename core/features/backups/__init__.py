"""Back up a workspace's database, preferences, word lists and trash to zip files, but not its models or index."""
