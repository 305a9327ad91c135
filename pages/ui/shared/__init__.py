"""Parts shared by multiple pages."""
