"""Export and import of bases (a folder of Markdown, JSON, YAML, or a zip with everything); the trash of bases."""
