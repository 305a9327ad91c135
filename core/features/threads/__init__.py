"""Threads: series of questions, each following the last, with their answers."""
