"""The parts of the Notes page."""
