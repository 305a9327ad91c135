"""A base as a folder of Markdown, as JSON, as YAML, or whole as a zip; deleted bases."""
