"""What waits for a person: gathered from all rooms, put off, let be, and merged."""
