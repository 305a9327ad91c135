"""Parse front matter and Markdown. A single pass finds the outline, titles, tags and links."""
