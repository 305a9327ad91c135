"""Answers: the sentences, rows and lines of the notes that answer a question, and when there are none."""
