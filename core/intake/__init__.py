"""Import of notes: reading the files of a folder or an upload, and comparing them with a base."""
