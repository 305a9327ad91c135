"""The foundation of every package; it knows nothing of notes."""
