"""The interface for assistants: searches and operations as Model Context Protocol tools."""
