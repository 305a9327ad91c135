"""Packs, which are versioned sets of notes that are installed and upgraded note by note."""
