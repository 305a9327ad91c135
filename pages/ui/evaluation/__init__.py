"""The parts of the Evaluation page."""
