"""One reader of Markdown: front matter, and one parse for outline, titles, tags and links."""
