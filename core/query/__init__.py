"""From the text of a question to a query: its filters, level and sub-queries."""
