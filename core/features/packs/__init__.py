"""Packs: versioned sets of notes, which are installed and upgraded note by note."""
