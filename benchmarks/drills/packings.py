"""The upgrade of a pack, whose folder is the vault; two of its notes were changed and deleted by a person before."""

from pathlib import Path

from benchmarks.drills import vault
from benchmarks.drills.journal import ANY
from benchmarks.drills.operations import BASE, Place
from core.features.packs.manifest import FILE
from core.model import Filters
from core.workspace import Workspace

UPGRADE = "upgrade a pack"
EDITED, DELETED = 1, 2
"""Numbers of the notes that a person changed and deleted."""
_NAME = "drilled"
_OLD, _NEW, _OWN = 1, 2, 9
"""Versions of the pack and its notes, and of the note that a person changed."""
_REMOVED, _ADDED = range(3, 7), range(1000, 1006)


def install(workspace: Workspace, folder: Path) -> None:
    """Make a pack of a vault, and install it."""
    _declare(folder, _OLD)
    workspace.packs.install(folder)


def change(workspace: Workspace) -> None:
    """Change and delete a note of the pack, as a person does."""
    ids = {card.path: card.id for card in workspace.notes.all(Filters(bases=(BASE,)))}
    workspace.notes.update(ids[f"{EDITED}.md"], body=vault.body(EDITED, _OWN))
    workspace.trash.put(ids[f"{DELETED}.md"])


def upgrading(place: Place) -> None:
    """Upgrade the pack, by every second seed at an opening, else in a workspace that is open."""
    if place.workspace is not None:
        place.workspace.pending.embed_rest()
        place.journal.done(_final(place.vault))
    elif place.seed % 2:
        with Workspace(place.folder) as workspace:
            workspace.store.index.open()
            _begin(place)
            workspace.packs.upgrade(_NAME)
            place.journal.done(_final(place.vault))
    else:
        _begin(place)
        with Workspace(place.folder) as workspace:
            place.journal.done(_final(place.vault))
            workspace.pending.embed_rest()


def faults(workspace: Workspace) -> list[str]:
    """Return what an opening leaves undone of an upgrade."""
    versions = [pack.version for pack in workspace.packs.installed()]
    wrong = [] if versions == [str(_NEW)] else [f"the installed packs are of the versions {versions}"]
    return [*wrong, *(f"{name}: {problem}" for name, problem in workspace.packs.problems.items())]


def _begin(place: Place) -> None:
    """Bring the folder to the new version, and say what may be seen from now on."""
    for number in (*vault.versions(place.vault), *_ADDED):
        vault.write(place.vault, number, _NEW)
    for number in _REMOVED:
        (place.vault / f"{number}.md").unlink()
    _declare(place.vault, _NEW)
    final = _final(place.vault)
    place.journal.begin(final | {name.replace("note", "chunks", 1): ANY if final[name] else None for name in final})
    place.ready()


def _final(folder: Path) -> dict[str, object]:
    """Return what must be seen in the end of the notes that no person changed."""
    target = vault.versions(folder)
    notes = {f"note {BASE}/{number}": version for number, version in target.items() if number not in (EDITED, DELETED)}
    return notes | dict.fromkeys(f"note {BASE}/{number}" for number in _REMOVED)


def _declare(folder: Path, version: int) -> None:
    (folder / FILE).write_text(f'name = "{_NAME}"\nversion = "{version}"\nbase = "{BASE}"\nlanguage = "en"\n')
