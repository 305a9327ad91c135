"""The notes of a workspace and their life: written, changed, classified, archived, deleted, restored."""
