"""Items from all features that await the user's decision: listing, postponing, ignoring and merging them."""
