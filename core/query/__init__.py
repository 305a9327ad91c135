"""Turns a question's text into a query with filters, a level and sub-queries."""
