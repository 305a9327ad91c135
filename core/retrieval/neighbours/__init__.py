"""Which notes are near others: by meaning, words, links and tags; pairs that say the same; the map of all notes."""
