"""How long a save takes: until the new text of a note of 300 chunks is found by a word, and by meaning.

python -m benchmarks.writing
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from core.workspace import Workspace

CHUNKS = 300
SAVES = 12
WORD_SECONDS = 0.3
MEANING_SECONDS = 2.0
WINDOWS = 3
PLACES = ("harbour", "orchard", "library", "station", "kitchen", "garden", "workshop", "cellar", "attic", "meadow")
THINGS = ("lantern", "ledger", "compass", "kettle", "ladder", "violin", "anchor", "basket", "mirror", "clock")
WORDS = ("periwinkle", "marzipan", "obsidian", "tamarind", "quartzite", "saffron", "juniper", "cobalt", "walnut",
         "heather", "lavender", "mistletoe")  # fmt: skip


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as scratch, Workspace(Path(scratch) / "workspace") as workspace:
        measure(workspace)


def measure(workspace: Workspace) -> None:
    note = workspace.notes.add("bench", text(CHUNKS), title="A long note")
    print(f"a note of {len(workspace.chunks.all(note.id))} chunks, {len(note.body):,} characters")
    workspace.search("warm", mode="semantic")
    saved, by_word, by_meaning, windows = zip(*(save(workspace, note.id, word) for word in WORDS[:SAVES]), strict=True)
    say("saved", saved, WORD_SECONDS, " s")
    say("saved, found by word", by_word, WORD_SECONDS, " s")
    say("saved, found by meaning", by_meaning, MEANING_SECONDS, " s")
    say("windows embedded", windows, WINDOWS, "")


def save(workspace: Workspace, note_id: str, word: str) -> tuple[float, float, float, int]:
    """Return the seconds of one save, until its words are found, and until its meaning is; and the windows embedded."""
    note = workspace.notes.get(note_id)
    paragraphs = note.body.split("\n\n")
    middle = len(paragraphs) // 2
    paragraphs[middle] += f" Somebody painted the {word} door of the lighthouse again."
    before = windows_of(workspace)
    start = time.perf_counter()
    workspace.notes.update(
        note_id, body="\n\n".join(paragraphs), expected_version=note.version, author="person", embed=False
    )
    workspace.start_indexing()
    saved = time.perf_counter() - start
    assert any(word in hit.chunk.text for hit in workspace.search(word, mode="keyword").hits)
    by_word = time.perf_counter() - start
    while True:
        if workspace.chunks.unfinished():
            time.sleep(0.01)
            continue
        question = f"who painted the {word} door of a lighthouse"
        if any(word in hit.chunk.text for hit in workspace.search(question, mode="semantic").hits):
            break
    by_meaning = time.perf_counter() - start
    workspace.jobs.wait("embed")
    return saved, by_word, by_meaning, windows_of(workspace) - before


def windows_of(workspace: Workspace) -> int:
    """Return how many vectors were ever stored, which are the windows that were embedded."""
    return int(workspace.store.database.value("SELECT max(id) FROM vectors") or 0)


def text(chunks: int) -> str:
    """Return a text that is cut into about so many chunks, one for each of its sections."""
    return "\n\n".join(f"## Section {number}\n\n{paragraph(number)}" for number in range(chunks))


def paragraph(number: int) -> str:
    place, thing = PLACES[number % len(PLACES)], THINGS[number // len(PLACES) % len(THINGS)]
    return " ".join(
        f"In the {place} there is a {thing} with the number {number * 31 + part}, and nobody knows who brought it "
        f"there in the year {1700 + (number * 7 + part) % 300}."
        for part in range(12)
    )


def say(what: str, values: Sequence[float], target: float, unit: str) -> None:
    ordered = sorted(values)
    middle, worst = ordered[len(ordered) // 2], ordered[-1]
    verdict = "ok" if worst <= target else "MISSED"
    print(f"{what:<26}{middle:8.2f} p50 {worst:8.2f} max{unit}   target <= {target:g}: {verdict}")


if __name__ == "__main__":
    main()
