"""Office documents: content dropped by pandoc is moved to where pandoc reads it, or added to pandoc's result."""
