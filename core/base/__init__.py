"""General-purpose modules that all other packages build on. None of them deals with notes."""
