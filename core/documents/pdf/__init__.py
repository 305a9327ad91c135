"""PDF -> Markdown by layout."""
