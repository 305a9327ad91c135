"""Parts of the Review page."""
