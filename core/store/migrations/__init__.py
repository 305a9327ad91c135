"""The steps of the schema of `notes.db`, in order; the last step has its own file.

A released step never changes: it imports nothing from Tessera, and its file contains all that it needs.
"""

import sqlite3
from collections.abc import Callable

from core.store.migrations import v01_to_v11, v12_to_v19, v20_files, v21_file_intents

MIGRATIONS: tuple[str | Callable[[sqlite3.Connection], None], ...] = (
    v01_to_v11.FIRST,
    v01_to_v11.EDITS,
    v01_to_v11.TOKENS,
    v01_to_v11.USAGE,
    v01_to_v11.simplify_words,
    v01_to_v11.FILTERS,
    v01_to_v11.QUESTIONS,
    v01_to_v11.RUNS,
    v01_to_v11.move_search_settings,
    v01_to_v11.add_centring,
    v01_to_v11.add_entries,
    v12_to_v19.add_versions,
    v12_to_v19.GUESTS,
    v12_to_v19.REFUSALS,
    v12_to_v19.DOCUMENTS,
    v12_to_v19.PICTURES,
    v12_to_v19.DECISIONS,
    v12_to_v19.LEARNING,
    v12_to_v19.ANSWERING,
    v20_files.step,
    v21_file_intents.STEP,
)
"""The migration from version N to N + 1 at place N: a script of SQL, or a function inside a transaction."""
