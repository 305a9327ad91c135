"""Tessera's own log parsers, one for each format."""
