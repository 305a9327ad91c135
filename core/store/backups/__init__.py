"""The file of a backup: made, unpacked, put in place."""
