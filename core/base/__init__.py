"""Foundation for all other packages. It knows nothing about notes."""
