"""Foundation of all other packages, without any knowledge of notes."""
