"""Parts of the Settings page."""
