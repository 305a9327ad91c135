"""List, postpone, ignore and merge items from all features that await the user's decision."""
