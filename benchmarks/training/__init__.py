"""Training of the reader that scores the units of hits."""
