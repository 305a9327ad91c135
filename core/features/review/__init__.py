"""What waits for the user: gathered from all features, postponed, ignored, merged."""
