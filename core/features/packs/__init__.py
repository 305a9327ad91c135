"""Packs: versioned sets of notes that are installed and upgraded note by note."""
