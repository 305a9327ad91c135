"""Packs: versioned sets of notes, installed and upgraded note by note."""
