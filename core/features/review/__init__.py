"""Items that wait for the user's decision, from all features: listing, postponing, ignoring, merging."""
