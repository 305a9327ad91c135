"""The steps of the schema of `notes.db`, one file a version, in order.

A step is frozen once it is released: it imports nothing of Tessera, and its file contains what it needs.
"""

import sqlite3
from collections.abc import Callable

from core.store.migrations import (
    v01_first,
    v02_edits,
    v03_tokens,
    v04_usage,
    v05_simplified,
    v06_filters,
    v07_questions,
    v08_runs,
    v09_searching,
    v10_centring,
    v11_entries,
    v12_versions,
    v13_guests,
    v14_refusals,
    v15_documents,
    v16_pictures,
    v17_decisions,
    v18_learning,
    v19_answering,
    v20_files,
)

MIGRATIONS: tuple[str | Callable[[sqlite3.Connection], None], ...] = (
    v01_first.STEP,
    v02_edits.STEP,
    v03_tokens.STEP,
    v04_usage.STEP,
    v05_simplified.step,
    v06_filters.STEP,
    v07_questions.STEP,
    v08_runs.STEP,
    v09_searching.step,
    v10_centring.step,
    v11_entries.step,
    v12_versions.step,
    v13_guests.STEP,
    v14_refusals.STEP,
    v15_documents.STEP,
    v16_pictures.STEP,
    v17_decisions.STEP,
    v18_learning.STEP,
    v19_answering.STEP,
    v20_files.step,
)
"""The migration from version N to N + 1 at place N: a script of SQL, or a function inside a transaction."""
