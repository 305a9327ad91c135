"""Parsing of Markdown: front matter, and a single parse for outline, titles, tags and links."""
