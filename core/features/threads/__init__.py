"""Threads: questions that follow on each other, with their answers."""
