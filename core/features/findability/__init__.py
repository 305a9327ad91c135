"""Findability: whether a base's own notes are found by questions to them."""
