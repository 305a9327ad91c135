"""Turn the text of a question into a query with filters, a level (simple to exploratory) and sub-queries."""
