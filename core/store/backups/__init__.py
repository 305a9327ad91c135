"""Backup files: making, checking, encrypting and restoring them."""

import lzma
import sqlite3
import zipfile
import zlib

DAMAGE = (
    *(OSError, EOFError, ValueError, TypeError, LookupError, RuntimeError, RecursionError, OverflowError),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, sqlite3.DatabaseError),
)
"""Exceptions that reading a damaged backup may raise."""
