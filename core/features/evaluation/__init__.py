"""Measuring search with question sets: running, comparing and diagnosing them."""
