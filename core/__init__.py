"""Tessera's engine: everything that works without a screen."""
