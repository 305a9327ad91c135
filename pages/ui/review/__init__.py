"""The parts of the page Review."""
