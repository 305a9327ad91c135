"""Parts of the Bases page."""
