"""Files -> notes: the files of a folder or an upload, read, compared with a base, and imported."""
