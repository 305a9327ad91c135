"""Importing notes by reading the files in a folder or an upload, and comparing them with a base."""
