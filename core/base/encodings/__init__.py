"""Encodings of text: their names, what files say of theirs, and which one bytes are likely to be in."""
