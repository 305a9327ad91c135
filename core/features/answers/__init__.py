"""Answer questions with quotes from the notes, or say that the notes don't contain an answer."""
