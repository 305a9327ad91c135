"""What a workspace takes on disk, and how it gives back what is unused."""

from pathlib import Path

from core.base import files
from core.base.errors import DiskFull
from core.base.faults import BACKUPS, DATABASE
from core.base.files import disk, nearly_full
from core.base.messages import message
from core.features.doctor.check import WorkspaceParts
from core.indexing.scratch import FOLDER, Scratch
from core.model import Compacted, Progress, Space
from core.store.backups import restoring

_SPARE = 64 << 20
"""Bytes that stay free on the disk."""


def space(parts: WorkspaceParts) -> Space:
    """Return what a workspace takes on disk."""
    folder = parts.store.folder
    free, total = disk(folder)
    bits = {base.name: parts.store.vectors.count_bits(base)[1] for base in parts.bases.all()}
    cards = {card.folder or card.name: card.bytes_on_disk for card in parts.models.all()}
    within = {name: files.size(folder / name) for name in ("chroma", "trash", FOLDER, restoring.ASIDE, "logs")}
    backups = {folder / BACKUPS, parts.backups.place}
    return Space(
        folder,
        database=_database(folder),
        index=within["chroma"],
        backups=sum(map(files.size, backups)),
        trash=within["trash"],
        scratch=within[FOLDER],
        replaced=within[restoring.ASIDE],
        logs=within["logs"],
        models=sum(cards.values()),
        unused=_pragma(parts, "freelist_count") * _pragma(parts, "page_size"),
        tokens={name: size for name, size in bits.items() if size},
        free=free,
        total=total,
        nearly_full=nearly_full(free, total),
    )


def compact(parts: WorkspaceParts, progress: Progress) -> Compacted:
    """Give back what is unused: old copies for measurements, numbers without passages, free pages of the database.

    Readers go on meanwhile, and writers wait. Raises DiskFull before anything is changed, WorkspaceLocked.
    """
    store = parts.store
    store.database.check_writable()
    before, (free, _) = _database(store.folder), disk(store.folder)
    if free < 2 * before + _SPARE:
        raise DiskFull(
            "Compacting needs {need:,.0f} MB for a while, and the disk of {folder} has {free:,.0f} MB left. Nothing "
            "was changed. Make space there first.",
            need=(2 * before + _SPARE) / 1e6,
            free=free / 1e6,
            folder=str(store.folder),
        )
    progress(0, 3, message("Deleting what is unused"))
    Scratch(store).drop()
    if not store.pending.any([base.id for base in parts.bases.all()]):
        store.drop_unused_vectors()
    progress(1, 3, message("Writing the database anew"))
    with store.changing:
        store.database.compact()
    return Compacted(before, _database(store.folder))


def _database(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob(f"{DATABASE}*") if file.is_file())


def _pragma(parts: WorkspaceParts, name: str) -> int:
    return int(parts.store.database.value(f"PRAGMA {name}"))
