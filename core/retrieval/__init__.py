"""Finds hits for a question, builds context for prompts, and finds similar notes."""
