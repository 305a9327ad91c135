"""Drills: break a workspace on purpose, many times, and count what came of it.

A drill is a module with one function, `drill(tally, given)`. `python -m benchmarks.drills` runs them.
"""
