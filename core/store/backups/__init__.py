"""The file of a backup: made, unpacked, put in place."""

import lzma
import sqlite3
import zipfile
import zlib

DAMAGE = (
    *(OSError, EOFError, ValueError, TypeError, LookupError, RuntimeError, RecursionError, OverflowError),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, sqlite3.DatabaseError),
)
"""What reading a damaged backup raises."""
