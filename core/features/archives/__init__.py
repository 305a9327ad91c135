"""Export and import bases as a Markdown folder, JSON, YAML or a complete zip, and keep deleted bases in the trash."""
