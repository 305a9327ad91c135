"""From a query to hits and a context."""
