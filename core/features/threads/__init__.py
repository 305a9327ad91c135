"""Threads: series of questions, each following up on the last, with their answers."""
