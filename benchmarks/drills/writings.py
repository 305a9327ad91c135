"""The operations on notes that are written here; each journals the text that must be seen, and its versions."""

import json
import random
from collections.abc import Callable
from pathlib import Path

from benchmarks.drills import sound, vault
from benchmarks.drills.journal import ANY, LEAST
from benchmarks.drills.operations import BASE, Place, number_of
from core.model import Filters
from core.workspace import Workspace

_TIMES = 12
DIGESTS = "digests.json"
"""What searches find of each deleted note, which its restoring brings back."""


def add(workspace: Workspace, folder: Path) -> None:
    """Write the notes of a vault here."""
    items = [
        {"body": vault.body(number, version), "title": f"Note {number}", "path": f"{number}.md"}
        for number, version in vault.versions(folder).items()
    ]
    workspace.notes.add_many(BASE, items)


def put_away(workspace: Workspace, file: Path) -> None:
    """Delete a third of the notes, each after a change, and note what searches found of them."""
    found = {}
    for card in workspace.notes.all(Filters(bases=(BASE,))):
        if number_of(card) % 3 == 0:
            found[card.id] = sound.digest(workspace, card.id)
            workspace.trash.put(card.id)
    file.write_text(json.dumps(found))


def saving(place: Place) -> None:
    """Change texts, each by the version that was read."""

    def change(workspace: Workspace, note_id: str, draw: random.Random) -> tuple[int, Callable[[], object]]:
        note = workspace.store.notes.note(note_id)
        number, version = vault.token(note.body) or (-1, -1)
        text = vault.body(number, version + 1)
        return version + 1, lambda: workspace.notes.update(note_id, body=text, expected_version=note.version)

    _changing(place, change)


def accepting(place: Place) -> None:
    """Accept texts that a program proposes."""

    def change(workspace: Workspace, note_id: str, draw: random.Random) -> tuple[int, Callable[[], object]]:
        number, version = vault.token(workspace.store.notes.note(note_id).body) or (-1, -1)
        workspace.proposals.update(note_id, body=vault.body(number, version + 1))
        return version + 1, lambda: workspace.proposals.accept([workspace.proposals.get(note_id)])

    _changing(place, change)


def reverting(place: Place) -> None:
    """Bring texts of earlier versions back."""

    def change(workspace: Workspace, note_id: str, draw: random.Random) -> tuple[int, Callable[[], object]]:
        chosen = draw.choice(workspace.versions.all(note_id)).number
        _, version = vault.token(workspace.versions.get(note_id, chosen).body) or (-1, -1)
        return version, lambda: workspace.versions.revert(note_id, chosen)

    _changing(place, change)


def _changing(
    place: Place, change: Callable[[Workspace, str, random.Random], tuple[int, Callable[[], object]]]
) -> None:
    with place.opened() as workspace:
        draw = random.Random(place.seed)
        cards = sorted(workspace.notes.all(Filters(bases=(BASE,))), key=number_of)
        for card in draw.choices(cards, k=_TIMES):
            name = f"{BASE}/{number_of(card)}"
            version, act = change(workspace, card.id, draw)
            place.journal.begin({f"note {name}": version, f"chunks {name}": ANY})
            act()
            place.journal.done(
                {
                    f"note {name}": version,
                    f"chunks {name}": sound.digest(workspace, card.id),
                    f"{LEAST}versions {name}": len(workspace.versions.all(card.id)),
                }
            )


def restoring(place: Place) -> None:
    """Bring deleted notes back, two at a time: what searches find of them is what it was."""
    with place.opened() as workspace:
        digests = json.loads((place.folder.parent / DIGESTS).read_text())
        deleted = sorted(workspace.trash.all(BASE), key=lambda one: one.version.note_id)
        for at in range(0, len(deleted), 2):
            ids = [one.version.note_id for one in deleted[at : at + 2]]
            state: dict[str, object] = {}
            least = {}
            for one in deleted[at : at + 2]:
                name, note_id = f"{BASE}/{Path(one.path or '').stem}", one.version.note_id
                _number, version = vault.token(workspace.versions.get(note_id, one.version.number).body) or (-1, -1)
                state |= {f"note {name}": version, f"chunks {name}": digests[note_id]}
                least[f"{LEAST}versions {name}"] = one.version.number + 1
            place.journal.begin(state)
            workspace.trash.restore(ids)
            place.journal.done(state | least)
