"""Answer a question with quotes from the notes, or state that the notes don't answer it."""
