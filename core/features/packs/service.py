"""List, install, upgrade and remove a workspace's packs."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from core.base.errors import PackError, TesseraError, UnknownChoice
from core.base.messages import Message, message
from core.features.packs import manifest
from core.features.packs.manifest import PackNotes, read_pack
from core.features.packs.upgrade import PackTable, Upgrade, delete, edited, untouched
from core.indexing.bases import Bases
from core.indexing.embed_queue import FAILURES, PendingChunks
from core.model import (
    EditedNote,
    InstalledPack,
    Note,
    Pack,
    PackCard,
    PackReport,
    Progress,
    Revision,
    no_progress,
)
from core.notes.writer import check_version
from core.settings.config import Settings
from core.store import Store

_LOG = logging.getLogger(__name__)
_Versioned = Pack | InstalledPack


@dataclass(eq=False)
class Packs:
    """The packs in a workspace. In a read-only workspace, methods that change anything raise WorkspaceLocked.

    `problems` maps a pack's name to the reason why installing or upgrading it failed when the workspace was opened.
    """

    _store: Store
    _settings: Settings
    _bases: Bases
    _pending: PendingChunks

    def __post_init__(self) -> None:
        self._table = PackTable(self._store.database)
        self._store.recorders["pack"] = self._table.put_file
        self.problems: dict[str, Message] = {}
        self.installed = self._table.all
        self.passed_by = self._table.passed_by

    # reading

    def all(self) -> Sequence[PackCard]:
        """Return all available or installed packs, sorted by name."""
        found = manifest.find_packs()
        installed = {pack.name: pack for pack in self.installed()}
        for pack in installed.values():
            if pack.folder:
                found.pop(pack.name, None)
                with suppress(TesseraError):
                    found[pack.name] = manifest.read(self._place(pack))
        newer = {name for name in found.keys() & installed.keys() if _is_newer(found[name], installed[name])}
        return [PackCard(found.get(name), installed.get(name), name in newer) for name in sorted({*found, *installed})]

    def edited(self, name: str) -> Sequence[EditedNote]:
        """Return the notes in a pack that the user has changed, each with the pack's current text.

        Raises UnknownChoice if the pack isn't installed, and PackError if it can't be read.
        """
        _, offered = read_pack(self._place(self._get_installed(name)))
        changed = []
        for path, note_id in sorted(self._table.notes(name).items()):
            note = self._store.note(note_id)
            if not untouched(self._store, note):
                changed.append(edited(note, offered.get(path)))
        return changed

    def offered(self, note_id: str) -> Note | None:
        """Return a note with its pack's current text, or None if the pack no longer contains the note.

        Raises NoteNotFound, and the same errors as `edited`.
        """
        note = self._store.note(note_id)
        return self._upgrade_of(note).offered(note)

    # changing

    def install(self, source: str | Path, *, embed: bool = True, progress: Progress = no_progress) -> PackReport:
        """Install a pack by its name or folder, or upgrade it if it is already installed.

        If `embed` is True, also embed the pack's notes for semantic search. Raises UnknownChoice if the name is
        unknown, and PackError if the pack has mistakes or is older than the installed version.
        """
        self._store.check_writable()
        place, folder = manifest.folder_of(source)
        pack, notes = read_pack(place)
        with self._store.changing:
            installed = self._table.named(pack.name) or self._begin(pack, folder)
        return self._bring(pack, notes, installed, folder, embed, progress)

    def upgrade(self, name: str, *, embed: bool = True, progress: Progress = no_progress) -> PackReport:
        """Upgrade an installed pack to the available version, except for notes that the user changed or deleted.

        Raises UnknownChoice if the pack isn't installed or available, and the same PackErrors as `install`.
        """
        self._store.check_writable()
        installed = self._get_installed(name)
        return self._bring(*read_pack(self._place(installed)), installed, installed.folder, embed, progress)

    def take(self, note_id: str, expected_version: int) -> None:
        """Replace an edited note with the pack's text, without embedding it. Later upgrades will update the note again.

        If the pack no longer contains the note, the note is moved to the trash. Raises Conflict if the note isn't at
        `expected_version`, and the same errors as `offered`.
        """
        with self._store.changing:
            self._store.check_writable()
            note = self._store.note(note_id)
            check_version(note, expected_version)
            self._upgrade_of(note).take(note)
            self._store.leave_pending()

    def leave(self, note_id: str) -> None:
        """Undo `take` by recording that the pack's upgrade skipped the note."""
        self._table.put_file(replace(self._store.note(note_id), content_hash=""))

    def delete(self, name: str) -> int:
        """Remove a pack by moving its notes to the trash, except those the user changed. Return the number kept."""
        self._store.check_writable()
        self._get_installed(name)
        self._store.index.open()
        with self._store.changing:
            note_ids = self._table.notes(name).values()
            going = [item for item in note_ids if untouched(self._store, self._store.note(item))]
            delete(self._store, going, Revision("delete", "person"))
            self._table.drop(name)
        return len(note_ids) - len(going)

    # start

    def start(self) -> None:
        """Install the packs in `auto_install` if the workspace is new, and upgrade the installed packs.

        Nothing is embedded. Failures are logged and added to `problems`, but don't prevent the workspace from opening.
        """
        try:
            if self._settings.auto_install and self._store.database.version() == 0:
                self._begin_chosen()
            packs = self.installed()
            for pack in packs:
                try:
                    place = self._place(pack)
                    if _is_newer(manifest.read(place), pack):
                        self._bring(*read_pack(place), pack, pack.folder, embed=False, progress=no_progress)
                except TesseraError as error:
                    self._problem(pack.name, error)
            if packs:
                self._table.check([pack.name for pack in packs if pack.name not in self.problems])
        except TesseraError as error:
            self._problem("", error)

    def _begin_chosen(self) -> None:
        """Record the packs in `auto_install` in one transaction, so that their installation can be resumed later."""
        packs = []
        for name in self._settings.auto_install:
            try:
                packs.append(manifest.read(manifest.place_of(name)))
            except TesseraError as error:
                self._problem(name, error)
        with self._store.changing, self._store.database.write():
            for pack in packs:
                self._begin(pack, "")

    def _problem(self, name: str, error: TesseraError) -> None:
        _LOG.warning("A pack can't be brought up to date", exc_info=error)
        self.problems[name] = error.message

    # helpers

    def _begin(self, pack: Pack, folder: str) -> InstalledPack:
        """Record a pack before its notes are written, creating its base if necessary, in one transaction."""
        with self._store.database.write():
            self._table.begin(pack, (self._bases.find(pack.base) or self._bases.add(pack.base)).id, folder)
        return self._get_installed(pack.name)

    def _bring(
        self,
        pack: Pack,
        notes: PackNotes,
        installed: InstalledPack,
        folder: str,
        embed: bool,
        progress: Progress,
    ) -> PackReport:
        if pack.name != installed.name:
            raise PackError(
                str(pack.folder),
                [message("it contains the pack '{name}', not '{wanted}'.", name=pack.name, wanted=installed.name)],
            )
        if _is_newer(installed, pack):
            raise PackError(
                str(pack.folder),
                [
                    message(
                        (
                            "Version {ours} of '{name}' is installed, and version {theirs} is older. To go back, "
                            "remove the pack first."
                        ),
                        name=pack.name,
                        ours=installed.version,
                        theirs=pack.version,
                    )
                ],
            )
        if not _is_newer(pack, installed):
            self._table.check([pack.name])
            return PackReport(pack.name, installed.version, unchanged=installed.notes)
        with self._store.changing:
            report = Upgrade(self._store, pack, notes, installed).apply(folder, progress)
        _LOG.info("Pack: %d added, %d changed, %d removed", report.added, report.changed, report.removed)
        if not embed:
            self._store.leave_pending()
        elif self._store.base(installed.base_id).embed_at_once:
            try:
                self._pending.embed(note_ids=[*self._table.notes(pack.name).values()], progress=progress)
            except FAILURES:
                _LOG.warning("The notes of a pack weren't embedded", exc_info=True)
        return report

    def _upgrade_of(self, note: Note) -> Upgrade:
        installed = self._get_installed(note.source_ref.removeprefix("pack:"))
        return Upgrade(self._store, *read_pack(self._place(installed)), installed)

    def _get_installed(self, name: str) -> InstalledPack:
        if (installed := self._table.named(name)) is None:
            raise UnknownChoice("pack", name, [pack.name for pack in self.installed()])
        return installed

    def _place(self, installed: InstalledPack) -> Path:
        return Path(installed.folder) if installed.folder else manifest.place_of(installed.name)


def _is_newer(pack: _Versioned, other: _Versioned) -> bool:
    return manifest.number(pack.version) > manifest.number(other.version)
