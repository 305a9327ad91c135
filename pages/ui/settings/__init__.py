"""The parts of the Settings page."""
