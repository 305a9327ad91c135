"""Office documents: content that pandoc drops, moved to where pandoc reads it or added to its result."""
