"""The parts of the Bases page."""
