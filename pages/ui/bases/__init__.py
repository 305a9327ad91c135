"""Components of the Bases page."""
