"""Parts of the Help page."""
