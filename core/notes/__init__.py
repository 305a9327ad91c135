"""Writing, changing, classifying, archiving, deleting and restoring the notes of a workspace."""
