"""Measure search quality by running question sets, comparing the results, and diagnosing failures."""
