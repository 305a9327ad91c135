"""Writing, changing, classifying, archiving, deleting and restoring a workspace's notes."""
