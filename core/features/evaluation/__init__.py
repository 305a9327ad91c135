"""Measure search quality with question sets: run them, compare the results, and diagnose failures."""
