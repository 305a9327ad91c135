"""Check the database's structure and the consistency of its tables."""

from collections.abc import Callable

from core.base.errors import StoreError
from core.base.messages import Message, message, plural, verbatim
from core.features.doctor.workspace_checks import FIX, Checks, Finding, WorkspaceParts
from core.model import Check, Revision
from core.store.phrases import word_row

_MOST_SHOWN = 3

_WORDLESS = "SELECT rowid FROM chunks WHERE state != 'deleted' AND rowid NOT IN (SELECT id FROM words_docsize)"
_CHUNKLESS = "SELECT id FROM words_docsize WHERE id NOT IN (SELECT rowid FROM chunks WHERE state != 'deleted')"
_WRONG_STATE = "SELECT rowid FROM chunks WHERE (state = 'embedded') != (rowid IN (SELECT chunk FROM windows))"
_WRONG_VECTOR = (
    "SELECT vectors.id FROM vectors JOIN windows ON windows.vector = vectors.id JOIN chunks ON chunks.rowid = chunk"
    " JOIN notes ON notes.id = note_id JOIN bases ON bases.id = base_id WHERE length(vectors.vector) != 4 * dimension"
)
_UNUSED = (
    "SELECT id FROM vectors WHERE id NOT IN (SELECT vector FROM windows) AND embedder NOT IN"
    " (SELECT embedders.id FROM embedders JOIN switches ON switches.fingerprint = embedders.fingerprint)"
    " AND NOT EXISTS (SELECT 1 FROM chunks WHERE state = 'pending')"
)
_VERSIONLESS = (
    "SELECT id FROM notes WHERE version != (SELECT coalesce(max(number), 0) FROM versions WHERE note_id = notes.id)"
)
_UNREADABLE = (
    "SELECT id FROM notes WHERE NOT (json_valid(links) AND json_valid(extra) AND json_valid(warnings)"
    " AND json_valid(left_out) AND json_valid(supersedes) AND json_valid(related) AND json_valid(depends_on)"
    " AND json_valid(overridden) AND json_valid(encoding))"
)


def _counts(rows: str, singular: str, many: str) -> Callable[[WorkspaceParts], Finding]:
    """Return a check that runs a query. If the query returns rows, the check reports their number as `n`."""

    def find(parts: WorkspaceParts) -> Finding:
        count = parts.store.database.value(f"SELECT count(*) FROM ({rows})")
        return Message(singular, {"n": count}, many) if count else None

    return find


def _structure(parts: WorkspaceParts) -> Finding:
    faults = parts.store.database.column(f"PRAGMA quick_check({_MOST_SHOWN})")
    return None if faults == ["ok"] else verbatim("; ".join(map(str, faults)))


def _references(parts: WorkspaceParts) -> Finding:
    tables = parts.store.database.column('SELECT "table" FROM pragma_foreign_key_check')
    return (
        plural(
            "{n} database row belongs to something that was deleted ({tables}).",
            "{n} database rows belong to something that was deleted ({tables}).",
            n=len(tables),
            tables=sorted({*tables}),
        )
        if tables
        else None
    )


def _drop_orphans(parts: WorkspaceParts) -> None:
    """Delete rows that refer to a missing row, and mark chunks with missing vectors as pending."""
    if parts.store.database.value("SELECT EXISTS (SELECT 1 FROM notes WHERE base_id NOT IN (SELECT id FROM bases))"):
        raise StoreError(
            "Some notes belong to a base that no longer exists. Restore the newest backup: {command}",
            command="tessera backup restore latest",
        )
    with parts.store.changing, parts.store.database.write() as connection:
        lost = "SELECT chunk FROM windows WHERE vector NOT IN (SELECT id FROM vectors)"
        connection.execute(f"UPDATE chunks SET state = 'pending' WHERE rowid IN ({lost})")
        connection.execute(f"DELETE FROM windows WHERE chunk IN ({lost})")
        while faults := connection.execute('SELECT DISTINCT "table", fkid FROM pragma_foreign_key_check').fetchall():
            for table, number in faults:
                key = connection.execute(
                    "SELECT * FROM pragma_foreign_key_list(?) WHERE id = ?", (table, number)
                ).fetchone()
                (column,) = connection.execute(
                    "SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk LIMIT 1", (key["table"],)
                ).fetchone()
                parent = f'SELECT "{key["to"] or column}" FROM "{key["table"]}"'
                connection.execute(f'DELETE FROM "{table}" WHERE "{key["from"]}" NOT IN ({parent})')


def _words(parts: WorkspaceParts) -> Finding:
    value = parts.store.database.value
    missing = value(f"SELECT count(*) FROM ({_WORDLESS})")
    stale = value(f"SELECT count(*) FROM ({_CHUNKLESS})")
    value("SELECT sum(cnt) FROM vocabulary")  # reads the whole word index
    return (
        message(
            "Passages that can't be found by keyword: {missing}. Deleted passages that still can: {stale}.",
            missing=missing,
            stale=stale,
        )
        if missing + stale
        else None
    )


def _put_words(parts: WorkspaceParts) -> None:
    with parts.store.changing, parts.store.database.write() as connection:
        connection.execute(f"DELETE FROM words WHERE rowid IN ({_CHUNKLESS})")
        titles = dict(
            connection.execute(
                "SELECT chunks.rowid, title FROM chunks JOIN notes"
                f" ON notes.id = note_id WHERE chunks.rowid IN ({_WORDLESS})"
            ).fetchall()
        )
        chunks = parts.store.chunks.by_rowid(titles)
        property_texts = parts.store.properties.chunk_texts(titles)
        for rowid, title in titles.items():
            words = word_row(title, chunks[rowid], property_texts.get(rowid, ""))
            connection.execute("INSERT INTO words (rowid, title, headings, body) VALUES (?, ?, ?, ?)", (rowid, *words))
        connection.execute("INSERT INTO words (words) VALUES ('rebuild')")


def _await_vectors(parts: WorkspaceParts) -> None:
    """Mark embedded chunks as pending if they have no windows, and delete windows of chunks that aren't embedded."""
    with parts.store.changing, parts.store.database.write() as connection:
        connection.execute(
            f"UPDATE chunks SET state = 'pending' WHERE state = 'embedded' AND rowid IN ({_WRONG_STATE})"
        )
        connection.execute(f"DELETE FROM windows WHERE chunk IN ({_WRONG_STATE})")


def _put_versions(parts: WorkspaceParts) -> None:
    """Store the current version of each note whose history doesn't end with it. Any later versions are deleted."""
    store = parts.store
    with store.changing, store.database.write():
        for note_id in store.database.column(_VERSIONLESS):
            note = store.note(note_id)
            store.database.execute("DELETE FROM versions WHERE note_id = ? AND number >= ?", note_id, note.version)
            store.versions.put(note, Revision("sync", "sync"))


def _find_pending(parts: WorkspaceParts) -> Finding:
    count = parts.store.pending.count([base.id for base in parts.bases.all() if base.has_vectors]).notes
    return (
        plural("{n} note can be found only by keyword.", "{n} notes can be found only by keyword.", n=count)
        if count
        else None
    )


def _switches(parts: WorkspaceParts) -> Finding:
    names = [base.name for base in parts.bases.all() if parts.store.switches.for_base(base)]
    return message("The model switch isn't finished in these bases: {names}", names=names) if names else None


def _tokens(parts: WorkspaceParts) -> Finding:
    names = []
    for base in parts.bases.all():
        status = parts.bases.status(base)
        if base.keep_tokens and 0 < status.with_bits < status.windows - status.pending:
            names.append(base.name)
    return (
        message("Some passages in these bases lack the data for fast reranking: {names}", names=names)
        if names
        else None
    )


# Database checks by name, in the order in which they run.
OF_DATABASE: Checks = {
    "database": Check(
        "broken",
        "The database is intact",
        "The file with all notes can be read from beginning to end.",
        message("Restore the newest backup: {command}", command="tessera backup restore latest"),
        _structure,
        lambda parts: parts.store.database.execute("REINDEX"),
    ),
    "references": Check(
        "broken",
        "No orphaned data is left",
        "No passages, versions or questions are left from a deleted note or base.",
        FIX,
        _references,
        _drop_orphans,
    ),
    "words": Check(
        "broken",
        "Every passage can be found by keyword",
        "The keyword index matches the notes' passages.",
        FIX,
        _words,
        _put_words,
    ),
    "windows": Check(
        "broken",
        "Every passage can be found by meaning, or is waiting to be indexed",
        "All indexed passages have their search data.",
        FIX,
        _counts(
            _WRONG_STATE,
            "{n} passage is marked as indexed but isn't.",
            "{n} passages are marked as indexed but aren't.",
        ),
        _await_vectors,
    ),
    "vectors": Check(
        "broken",
        "The computed data is intact",
        "The data for finding passages by meaning matches its model.",
        FIX,
        _counts(_WRONG_VECTOR, "The data for {n} passage is damaged.", "The data for {n} passages is damaged."),
        lambda parts: parts.store.pending.drop_damaged(),
    ),
    "chunks": Check(
        "broken",
        "Every note has passages",
        "A note without passages can't be found.",
        message("Split the base's notes again: {command}", command="tessera rechunk"),
        _counts(
            "SELECT id FROM notes WHERE trim(body) != '' AND id NOT IN (SELECT note_id FROM chunks)",
            "{n} note has no passages.",
            "{n} notes have no passages.",
        ),
    ),
    "versions": Check(
        "broken",
        "Every note has its history",
        "The newest version in each note's history matches the note.",
        FIX,
        _counts(_VERSIONLESS, "{n} note doesn't match its history.", "{n} notes don't match their history."),
        _put_versions,
    ),
    "values": Check(
        "broken",
        "Every field can be read",
        "All note fields have valid values.",
        "Open the note and save its fields again, or restore the newest backup.",
        _counts(
            _UNREADABLE,
            "{n} note has a field that can't be read.",
            "{n} notes have a field that can't be read.",
        ),
    ),
    "unused": Check(
        "look",
        "No unused data is stored",
        "Data that no passage uses takes up space, but does no harm.",
        FIX,
        _counts(
            _UNUSED,
            "{n} passage that is no longer in any note is still stored.",
            "{n} passages that are no longer in any note are still stored.",
        ),
        lambda parts: parts.store.drop_unused_vectors(),
    ),
    "waiting": Check(
        "look",
        "All notes can be found by meaning",
        "Notes that are waiting to be indexed can be found only by keyword.",
        message("Index these notes: {command}", command="tessera index"),
        _find_pending,
    ),
    "refused": Check(
        "look",
        "The model accepted all passages",
        "Text that the model or its server rejects can be found only by keyword.",
        message("To see these passages and try again, run: {command}", command="tessera index --refused"),
        _counts(
            "SELECT 1 FROM chunks WHERE state = 'refused'",
            "{n} passage was rejected by its model.",
            "{n} passages were rejected by their model.",
        ),
    ),
    "edits": Check(
        "look",
        "All your edits to passages still match the text",
        "An edit no longer matches if the text it belongs to was changed in the file.",
        "On the Chunks page, keep or discard these edits.",
        _counts(
            "SELECT 1 FROM edits WHERE flagged",
            "{n} edit no longer matches the text.",
            "{n} edits no longer match the text.",
        ),
    ),
    "questions": Check(
        "look",
        "The correct passages for your questions still exist",
        "A question can't be evaluated if its correct passage is gone.",
        "Choose another passage on the Evaluation page.",
        _counts(
            "SELECT 1 FROM golds WHERE flagged",
            "{n} correct passage no longer exists.",
            "{n} correct passages no longer exist.",
        ),
    ),
    "switches": Check(
        "look",
        "No model switch is unfinished",
        "Until the model switch is finished, the old model is used.",
        "Continue or cancel it on the Bases page.",
        _switches,
    ),
    "tokens": Check(
        "look",
        "The data for fast reranking is complete",
        "Without this data, reranking the best hits takes longer.",
        message("Complete the data: {command}", command="tessera models tokens BASE on"),
        _tokens,
    ),
}
