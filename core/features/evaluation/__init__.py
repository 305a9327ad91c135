"""Questions with right passages -> figures: sets, runs, comparison, diagnosis."""
