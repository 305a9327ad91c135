"""Nouns as values for JSON, each with the type of its form; messages stay messages until a door renders them."""
