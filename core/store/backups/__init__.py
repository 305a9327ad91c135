"""Backup files: making, checking, encrypting and restoring them."""
