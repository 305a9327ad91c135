"""Does the check whether notes can be found spot what breaks? 20 faults in copies of two workspaces.

python -m benchmarks.findability DATA --workspaces FOLDER,FOLDER [--seconds 50] : DATA holds vaults/NAME and
questions/NAME.jsonl; each workspace holds a base with the name of a vault, embedded by the bundled model, and is
copied. Of each base: three notes are there twice, one copy with another title; three headings are cut; two files are
lost; the passages get the vectors of other passages, as after a change of a model under its name; and another model
takes the base. A fault is spotted if the second check names it: the note, the heading, or that the notes are found
worse, or by another model. The questions of the set are asked beside, to see
whether what the check says of a model is so.
"""

import argparse
import random
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from benchmarks.quality import measured_set
from core.model import Findability, Pipeline, SearchSettings
from core.workspace import Workspace

_HEADING = re.compile(r"^#{2,4} (?=\S+ \S).*\n", re.MULTILINE)
COPIES, HEADINGS, LOST = 3, 3, 2
OTHER = "tfidf"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--workspaces", required=True, help="folders, with a comma between")
    parser.add_argument("--seconds", type=float, default=50.0)
    given = parser.parse_args()
    spotted = seeded = 0
    for folder in map(Path, given.workspaces.split(",")):
        with tempfile.TemporaryDirectory() as scratch:
            for fault in (files, vectors, model):
                right, all_of_them = fault(given.data, folder, Path(scratch, fault.__name__), given.seconds)
                spotted, seeded = spotted + right, seeded + all_of_them
    print(f"spotted: {spotted} of {seeded}")


def copied(folder: Path, scratch: Path) -> Path:
    """Copy a workspace whose vault is copied beside it, so that its files can be changed; return the copied vault."""
    workspace = scratch / "workspace"
    shutil.copytree(folder, workspace, ignore=shutil.ignore_patterns("lock*"))
    with closing(sqlite3.connect(workspace / "notes.db")) as database, database:
        sources = [row[0] for row in database.execute("SELECT DISTINCT source_ref FROM notes")]
        source = next(Path(one) for one in sources if Path(one).parent.name == "vaults")
        vault = Path(shutil.copytree(source, scratch / source.name))
        database.execute("UPDATE notes SET source_ref = ? WHERE source_ref = ?", (str(vault), str(source)))
    return vault


def checked(workspace: Workspace, base: str, seconds: float, label: str) -> Findability:
    started = time.perf_counter()
    result = workspace.findability.check(base, seconds=seconds)
    check = result.check
    took = time.perf_counter() - started
    shares = ", ".join(f"{share or 0:.3f}" for share in (check.first, check.reached, check.first_by_meaning))
    counts = f"{len(check.titles)} notes, {len(check.results)} of {check.probes} questions"
    print(
        f"{base} {label}: {counts} in {took:.1f} s; first, reached, first by meaning {shares}; "
        f"{len(check.findings)} notes named",
        flush=True,
    )
    if since := result.since:
        counts = (
            f"{one.wins} better, {one.losses} worse of {one.questions}" for one in (since.comparison, since.by_meaning)
        )
        print(f"  {since.message} ({'; by meaning '.join(counts)}; changed: {', '.join(since.settings) or 'nothing'})")
    return result


def by_set(workspace: Workspace, data: Path, base: str) -> None:
    """Print what the questions of the set find."""
    for mode in ("hybrid", "semantic"):
        pipeline = Pipeline(search=SearchSettings(mode, reranker="none"))
        metrics = measured_set(workspace, data, base, base, pipeline).metrics
        print(f"  its 40 questions, {mode}: hit@1 {metrics['hit@1']:.3f}, hit@10 {metrics['hit@10']:.3f}", flush=True)


def files(data: Path, folder: Path, scratch: Path, seconds: float) -> tuple[int, int]:
    """Seed what can go wrong with files, and count what the check names."""
    vault = copied(folder, scratch)
    base, chance = vault.name, random.Random(5)
    with Workspace(scratch / "workspace") as workspace:
        before = checked(workspace, base, seconds, "sound")
        by_set(workspace, data, base)
        notes = sorted(vault.rglob("*.md"))
        headed = [note for note in notes if _HEADING.search(note.read_text())]
        cut = chance.sample(headed, HEADINGS)
        others = chance.sample(
            [note for note in notes if note not in cut and note.stat().st_size > 1000], COPIES + LOST
        )
        twice, lost = others[:COPIES], others[COPIES:]
        headings = []
        for note in cut:
            text = note.read_text()
            match = chance.choice(list(_HEADING.finditer(text)))
            headings.append(match[0].strip("# \n"))
            note.write_text(text[: match.start()] + text[match.end() :])
        for number, note in enumerate(twice):
            text = note.read_text()
            title = re.sub(r"^# .*", "# Another title", text, count=1, flags=re.MULTILINE) if number else text
            note.with_name(f"copy-{number}-{note.name}").write_text(title)
        paths = {str(note.relative_to(vault)) for note in lost}
        names = {card.id for card in workspace.notes.all() if card.base == base and card.path in paths}
        for note in lost:
            note.unlink()
        workspace.notes.apply(workspace.notes.plan_folder(vault, base), confirmed=True)
        after = checked(workspace, base, seconds, "with faults in its files")
        copies = {card.id for card in workspace.notes.all() if Path(card.path or "").name.startswith("copy-")}
        assert after.since
        known = {one.note_id for one in before.check.findings}
        named = {note for one in after.check.findings if one.reason == "copy" for note in (one.note_id, one.other)}
        vanished = after.since.vanished
        right = [
            len(named & copies),
            sum(any(one.kind == "heading" and one.text == heading for one in vanished) for heading in headings),
            len(names & {one.note_id for one in vanished if one.kind == "note"}),
        ]
        false = [
            one.title for one in after.check.findings if one.note_id not in known | copies and one.other not in copies
        ]
        false += [one.title for one in vanished if one.text not in headings and one.note_id not in names]
    print(f"  copies {right[0]} of {COPIES}, headings {right[1]} of {HEADINGS}, lost files {right[2]} of {LOST}")
    print(f"  named besides: {false or 'nothing'}")
    return sum(right), COPIES + HEADINGS + LOST


def vectors(data: Path, folder: Path, scratch: Path, seconds: float) -> tuple[int, int]:
    """Give the passages of a base the vectors of others, as a model does that was changed under its name."""

    def mix(workspace: Path, base: str) -> None:
        with closing(sqlite3.connect(workspace / "notes.db")) as database, database:
            rows = database.execute(
                'SELECT windows.chunk, windows."index", windows.vector FROM windows'
                " JOIN chunks ON chunks.rowid = chunk JOIN notes ON notes.id = note_id"
                " JOIN bases ON bases.id = base_id WHERE bases.name = ?",
                (base,),
            ).fetchall()
            others = [row[2] for row in rows]
            random.Random(6).shuffle(others)
            database.executemany(
                'UPDATE windows SET vector = ? WHERE chunk = ? AND "index" = ?',
                [(other, *row[:2]) for other, row in zip(others, rows, strict=True)],
            )
        shutil.rmtree(workspace / "chroma")

    return changed(data, folder, scratch, seconds, "with vectors of other passages", mix)


def model(data: Path, folder: Path, scratch: Path, seconds: float) -> tuple[int, int]:
    """Give a base another model."""

    def switch(place: Path, base: str) -> None:
        with Workspace(place) as workspace:
            workspace.bases.begin_switch(base, OTHER)
            workspace.bases.run_switch(base)

    return changed(data, folder, scratch, seconds, f"with the model {OTHER}", switch)


def changed(
    data: Path, folder: Path, scratch: Path, seconds: float, label: str, change: Callable[[Path, str], None]
) -> tuple[int, int]:
    vault = copied(folder, scratch)
    with Workspace(scratch / "workspace") as workspace:
        checked(workspace, vault.name, seconds, "sound")
    change(scratch / "workspace", vault.name)
    with Workspace(scratch / "workspace") as workspace:
        since = checked(workspace, vault.name, seconds, label).since
        by_set(workspace, data, vault.name)
    assert since
    worse = any(one.settled and one.difference < 0 for one in (since.comparison, since.by_meaning))
    spotted = worse or "fingerprint" in since.settings
    print(f"  {'worse by more than chance' if worse else 'named by its settings only' if spotted else 'NOT SPOTTED'}")
    return int(spotted), 1


if __name__ == "__main__":
    main()
