"""Foundation for all other packages; knows nothing about notes."""
