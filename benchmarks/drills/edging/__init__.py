"""What the drill *edges* makes, and the doors by which it goes in."""
