"""A workspace that another process has open, with its collections as if it were open here."""
