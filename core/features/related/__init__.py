"""What other notes say about a note: which are related or copies of it, and what they suggest for it."""
