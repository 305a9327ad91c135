"""The parts of the Chunks page."""
