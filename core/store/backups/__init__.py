"""Creating, checking, encrypting and restoring backups."""
