"""Create, check, encrypt and restore backups."""
