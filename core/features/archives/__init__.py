"""Exporting and importing bases as a Markdown folder, JSON, YAML or a complete zip, and the trash for deleted bases."""
