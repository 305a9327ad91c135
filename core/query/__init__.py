"""The text of a question -> a query: its filters, its level, its sub-queries."""
