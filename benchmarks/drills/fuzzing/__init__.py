"""Inputs made at random, each kind from its own pieces; the same `Random` makes the same input."""
