"""Markdown parsing: front matter, and a single pass for the outline, titles, tags and links."""
