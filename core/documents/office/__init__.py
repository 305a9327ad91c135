"""Office documents. Content that pandoc would drop is moved to where pandoc reads it, or added to pandoc's output."""
