"""Measuring search with question sets: runs, comparison, diagnosis."""
