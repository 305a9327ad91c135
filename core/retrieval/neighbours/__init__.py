"""Finds related notes by meaning, words, links and tags. Also finds duplicate notes, and lays notes out on a map."""
