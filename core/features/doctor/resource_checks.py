"""Checks of the resources of a workspace: the search index, models, servers, the disk, and settings."""

from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from core import embedding
from core.base import files
from core.base.datetimes import utc_now
from core.base.errors import IndexDamaged, TesseraError
from core.base.files import disk_space
from core.base.messages import Message, lines, message, verbatim
from core.base.text import digest
from core.embedding import Embedder
from core.embedding.windows import row_windows
from core.features.doctor.parts import WorkspaceParts
from core.indexing.models import cards
from core.model import Check, KnowledgeBase, count_names
from core.settings import config
from core.store import Store
from core.store.index import chroma_worker


def _index(parts: WorkspaceParts) -> Message | None:
    index, store = parts.store.index, parts.store
    if parts.settings.index.kind == "none" or index.problem:
        return index.problem
    if index.ready:
        wrong = [
            base.name
            for base in parts.bases.all()
            if index.ids(base) != {key for ids, _ in store.chunks.windows(base) for key in ids}
        ]
        return count_names(
            wrong,
            "The index of {names} doesn't match the notes.",
            "The indexes of {names} don't match the notes.",
        )
    folder = store.folder / "chroma"
    if parts.settings.index.url or not store.database.value("SELECT EXISTS (SELECT 1 FROM windows)"):
        return None
    if not folder.is_dir():
        return message("There is no search index yet; Tessera builds it when it starts.")
    sealed = files.load(chroma_worker.seal_file(folder), lambda stored: stored["files"], aside=False)
    try:
        if sealed is None:
            unclosed = message("The search index wasn't closed properly; it will be checked at the next start.")
            return None if store.readonly and _in_use(store.folder) else unclosed
        whole = sealed == chroma_worker.checksums(folder)
    except IndexDamaged as error:
        return error.message
    return None if whole else message("The files of the search index have changed since it was closed.")


def _in_use(folder: Path) -> bool:
    try:
        with FileLock(folder / "lock", timeout=0, mode=0o600):
            return False
    except Timeout:
        return True
    except OSError:  # a read-only disk
        return False


def _mend_index(parts: WorkspaceParts) -> None:
    parts.store.open_index()
    if _index(parts):
        parts.store.rebuild_index()


def _models(parts: WorkspaceParts) -> Message | None:
    names = {base.embedder for base in parts.bases.all() if base.has_vectors}
    problems = []
    for name in sorted(names):
        try:
            problem = cards.card(name).problem
        except TesseraError as error:
            problem = error.message
        problems += [message("{name}: {problem}", name=name, problem=problem)] if problem else []
    return lines(*problems, separator="; ") if problems else None


def _rows(parts: WorkspaceParts) -> Message | None:
    """Name the bases with a table that was embedded by an earlier version, which didn't embed rows."""
    names = []
    for base in parts.bases.all():
        if base.has_vectors and parts.store.chunks.with_tables(base):
            with suppress(TesseraError):  # the check of models reports what is wrong with a model
                names += [base.name] if _lacks_rows(parts.store, base, embedding.build(base.embedder)) else []
    return message("Some table rows can't be found individually yet in: {names}", names=names) if names else None


def _lacks_rows(store: Store, base: KnowledgeBase, embedder: Embedder) -> bool:
    chunks = store.chunks.by_rowid(store.chunks.with_tables(base))
    titles = {
        note_id: card.title
        for note_id, card in store.notes.cards_of({item.note_id for item in chunks.values()}).items()
    }
    for rowid, chunk in chunks.items():
        first = next(row_windows(chunk, titles[chunk.note_id], embedder, embedder.input_tokens), None)
        if first and not store.chunks.has_window(rowid, base, digest(first.text)):
            return True
    return False


def _servers(parts: WorkspaceParts) -> Message | None:
    half = [server.section for server in parts.servers.all() if server.base_url and not server.complete]
    bare = [
        server.section for server in parts.servers.all() if server.host and not server.here and not server.encrypted
    ]
    if half:
        return message("These servers have an address but no model: {names}", names=half)
    return message("Your texts are sent unencrypted to these servers: {names}", names=bare) if bare else None


def _space(parts: WorkspaceParts) -> Message | None:
    disk = disk_space(parts.store.folder)
    if not disk.nearly_full:
        return None
    return message("{free:,.1f} GB of {total:,.0f} GB are free.", free=disk.free / 1e9, total=disk.total / 1e9)


def _config(parts: WorkspaceParts) -> Message | None:
    try:
        config.settings()
    except TesseraError as error:
        return error.message
    return parts.settings_file.problem


def _clock(parts: WorkspaceParts) -> Message | None:
    last = parts.store.database.value("SELECT max(day) FROM openings")
    ahead = last and last > utc_now().date().isoformat()
    return message("The workspace was opened on {day}, a date in the future.", day=last) if ahead else None


OF_RESOURCES: dict[str, Check] = {
    "index": Check(
        "look",
        "The search index matches the notes",
        ("The index makes searches by meaning fast in large bases. Without it, they are just as correct, only slower."),
        verbatim("tessera rebuild"),
        _index,
        _mend_index,
    ),
    "models": Check(
        "broken",
        "The models for your bases are installed",
        "Without its model, a base can only be searched by words.",
        "Install the model in Settings, or change the model of the base.",
        _models,
    ),
    "rows": Check(
        "look",
        "Table rows can be found individually",
        "A table row can be found by its own content, whatever surrounds it.",
        message("Split the base's notes again: {command}", command="tessera rechunk"),
        _rows,
    ),
    "servers": Check(
        "look",
        "Model servers are set up",
        "A server needs an address and a model, and encryption if it isn't on this machine.",
        message("Complete the setup in Settings, or run: {command}", command="tessera models server"),
        _servers,
    ),
    "space": Check(
        "look",
        "There is free disk space",
        "When a disk is full, nothing can be saved or backed up.",
        message("Free some space, or run: {command}", command="tessera compact"),
        _space,
    ),
}
"""Checks of resources by name, in order."""

OF_MACHINE: dict[str, Check] = {
    "config": Check(
        "broken",
        "The settings are valid",
        "All settings in tessera.toml and in the environment can be used.",
        "Correct tessera.toml.",
        _config,
    ),
    "clock": Check(
        "look",
        "The clock is correct",
        "The trash uses the clock to tell what is old.",
        "Correct the clock of this machine; until then, nothing is removed from the trash.",
        _clock,
    ),
}
"""Checks of the settings and the machine, by name."""
