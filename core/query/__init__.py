"""From the text of a question to a query: its language, its level, its parts."""
