"""The interface for assistants: searches and operations as tools of the Model Context Protocol."""
