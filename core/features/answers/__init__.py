"""Answers: quotes from the notes that answer a question, or the finding that the notes don't answer it."""
