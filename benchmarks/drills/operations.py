"""The operations that a drill breaks off. Each journals what it does; done again, it goes on."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.drills import sound, vault
from benchmarks.drills.journal import ANY, LEAST, Journal
from core.doors.cli import main
from core.model import Filters, NoteSummary, Pipeline, SearchSettings
from core.workspace import Workspace

BASE, OTHER, SET = "drill", "other", "questions"
MODELS = "folded:64", "folded:32"
EDITED = 3
"""Of so many notes one has its chunks edited; the others say in every chunk what they are."""
_STORED_TOGETHER = 25
"""Results of a run that are written together."""


@dataclass
class Place:
    """Where an operation works; `ready` is called when it begins, `workspace` is one that is open already."""

    folder: Path
    vault: Path
    journal: Journal
    seed: int = 0
    ready: Callable[[], object] = lambda: None
    workspace: Workspace | None = None

    @contextmanager
    def opened(self) -> Iterator[Workspace]:
        if self.workspace is not None:
            yield self.workspace
            return
        with Workspace(self.folder) as workspace:
            workspace.store.index.open()
            self.ready()
            yield workspace


def importing(place: Place) -> None:
    """Import the vault as the app does: store the notes, then index them."""
    with place.opened() as workspace:
        final = _begin_import(place, set(sound.state(workspace)))
        plan = workspace.imports.plan_folder(place.vault, BASE)
        files = sorted((*plan.added, *(match.file for match in plan.changed)), key=lambda file: file.path)
        said = [vault.token((place.vault / file.path).read_text()) or (-1, -1) for file in files]
        stored = 0

        def progress(done: float, total: float, what: object) -> None:
            nonlocal stored
            if done > stored:
                place.journal.done({f"note {BASE}/{number}": version for number, version in said[stored : int(done)]})
                stored = int(done)

        workspace.imports.apply(plan, embed=False, progress=progress)
        place.journal.done(final)
        workspace.pending.embed_rest()


def importing_by_command(place: Place) -> None:
    with Workspace(place.folder) as workspace:
        final = _begin_import(place, set(sound.state(workspace)))
    place.ready()
    _command("import", str(place.vault), "--base", BASE, "--workspace", str(place.folder))
    place.journal.done(final)


def _begin_import(place: Place, held: set[str]) -> dict[str, object]:
    """Say what may be seen from now on, and return what must be seen in the end."""
    target = vault.versions(place.vault)
    notes = {f"{kind} {BASE}/{number}" for number in target for kind in ("note", "chunks")}
    gone = [name for name in held - notes if name.startswith((f"note {BASE}/", f"chunks {BASE}/"))]
    final = dict.fromkeys(gone) | {f"note {BASE}/{number}": version for number, version in target.items()}
    place.journal.begin(
        final
        | {f"base {BASE}": True, f"model {BASE}": MODELS[0], f"strategy {BASE}": "lines"}
        | {f"chunks {BASE}/{number}": ANY for number in target}
    )
    return final


def indexing(place: Place) -> None:
    with place.opened() as workspace:
        start = int(str(sound.state(workspace)[f"{LEAST}embedded"]))
        workspace.pending.embed_rest(
            lambda done, total, what: place.journal.done({f"{LEAST}embedded": start + int(done)})
        )


def indexing_by_command(place: Place) -> None:
    place.ready()
    _command("index", "--workspace", str(place.folder))


def rechunking(place: Place, strategies: Sequence[str] = ("none", "recursive")) -> None:
    strategy = strategies[place.seed % len(strategies)]
    with place.opened() as workspace:
        place.journal.begin({name: ANY for name in sound.state(workspace) if name.startswith(f"chunks {BASE}/")})
        place.journal.begin({f"strategy {BASE}": strategy})
        options = replace(workspace.bases.get(BASE).chunking, strategy=strategy)
        workspace.chunks.rechunk(BASE, options=options)
        place.journal.done({f"strategy {BASE}": strategy})


def switching(place: Place) -> None:
    with place.opened() as workspace:
        base = workspace.bases.get(BASE)
        if base.embedder != MODELS[1]:
            place.journal.begin({f"model {BASE}": MODELS[1]})
            if not workspace.bases.status(base).switch:
                workspace.switches.begin(BASE, MODELS[1])
            workspace.switches.run(BASE)
        place.journal.done({f"model {BASE}": MODELS[1]})


def rebuilding(place: Place) -> None:
    with place.opened() as workspace:
        workspace.rebuild()


def deleting_notes(place: Place) -> None:
    with place.opened() as workspace:
        cards = workspace.notes.all(Filters(bases=(BASE,)))
        doomed = [card for card in cards if number_of(card) % 4 == place.seed % 4]
        for at in range(0, len(doomed), 2):
            these = doomed[at : at + 2]
            names = [f"{kind} {BASE}/{number_of(card)}" for card in these for kind in ("note", "chunks")]
            place.journal.begin(dict.fromkeys(names))
            workspace.trash.put([card.id for card in these])
            place.journal.done(dict.fromkeys(names))


def deleting_a_base(place: Place) -> None:
    with place.opened() as workspace:
        names = [name for name in sound.state(workspace) if name.partition(" ")[2].partition("/")[0] == OTHER]
        if names:
            place.journal.begin(dict.fromkeys(names))
            workspace.bases.delete_for_good(OTHER)
            place.journal.done(dict.fromkeys(names))


def editing(place: Place) -> None:
    """Edit, add, merge, split, delete and restore chunks, of every third note."""
    with place.opened() as workspace:
        draw = random.Random(place.seed)
        cards = [card for card in workspace.notes.all(Filters(bases=(BASE,))) if number_of(card) % EDITED == 0]
        for card in draw.choices(cards, k=12):
            name = f"chunks {BASE}/{number_of(card)}"
            place.journal.begin({name: ANY})
            edit(workspace, card.id, draw)
            place.journal.done({name: sound.digest(workspace, card.id)})


def edit(workspace: Workspace, note_id: str, draw: random.Random) -> None:
    """Do an act on a chunk of a note, as a person may."""
    chunks = workspace.chunks.all(note_id)
    living = [chunk for chunk in chunks if chunk.state != "deleted"]
    if len(living) < 3 or draw.random() < 0.2:
        pinned = [chunk for chunk in chunks if chunk.edited or chunk.state == "deleted"]
        if pinned:
            workspace.chunks.restore(draw.choice(pinned).id)
            return
    number = draw.randrange(max(1, len(living) - 1))
    chunk = living[number]
    act = draw.choice(("edit", "add", "merge", "split", "delete"))
    if act == "edit":
        workspace.chunks.update(chunk.id, f"e{draw.random()} written by a person")
    elif act == "merge" and len(chunks) > chunk.index + 1 and chunks[chunk.index + 1].state != "deleted":
        workspace.chunks.merge(chunk.id)
    elif act == "split" and len(chunk.text) > 2:
        workspace.chunks.split(chunk.id, len(chunk.text) // 2)
    elif act == "delete" and len(living) > 1:
        workspace.chunks.delete(chunk.id)
    else:
        workspace.chunks.add(note_id, f"e{draw.random()} added by a person", chunk.id)


def evaluating(place: Place) -> None:
    """Run a question set, on the base itself or on a copy of it that is cut otherwise; or go on with a run."""
    with place.opened() as workspace:
        runs, questions = workspace.runs.all(BASE), workspace.question_sets.get(BASE, SET)
        count, stored = len(workspace.questions.all(questions)), sum(run.asked for run in runs)
        begun = [run for run in runs if run.ended_at is None]
        if begun:
            workspace.runs.resume(begun[0].id)
            place.journal.done({f"{LEAST}results": stored - begun[0].asked + count})
            return
        chunking = (None, replace(workspace.bases.get(BASE).chunking, strategy="none"))[place.seed % 2]
        before = 0.5 if chunking else 0.0  # the share of the copy

        def progress(done: float, total: float, what: object) -> None:
            asked = int(max(0.0, (done / total - before) / (1 - before)) * count + 1e-6)
            place.journal.done({f"{LEAST}results": stored + asked // _STORED_TOGETHER * _STORED_TOGETHER})

        workspace.runs.run(questions, [Pipeline(chunking=chunking, search=SearchSettings(reranker="none"))], progress)
        place.journal.done({f"{LEAST}results": stored + count})


def remembering(place: Place) -> None:
    """Past searches, saved ones, and choices on the screens."""
    with place.opened() as workspace:
        for number in range(40):
            for name, act in (
                (f"search asked {number}", lambda query: workspace.searches.add(query)),
                (f"search saved {number}", lambda query: workspace.searches.save(query, query)),
            ):
                place.journal.begin({name: True})
                act(name.partition(" ")[2])
                place.journal.done({name: True})
            place.journal.begin({"choice": str(number)})
            workspace.preferences.set("drilled", str(number))
            place.journal.done({"choice": str(number)})


def opening(place: Place) -> None:
    place.ready()
    with Workspace(place.folder) as workspace:
        workspace.store.index.open()


def _command(*arguments: str) -> None:
    try:
        main(arguments)
    except SystemExit as ended:
        if ended.code:
            raise


def number_of(card: NoteSummary) -> int:
    """Return the number of a note, which is its file's name."""
    return int(Path(card.path or "").stem)


def question_file(folder: Path, count: int) -> bytes:
    """Return questions with their right passages: a line of a note each."""
    lines = []
    for number, version in sorted(vault.versions(folder).items())[:count]:
        quote = vault.body(number, version).splitlines()[1]
        gold = [{"path": f"{number}.md", "quote": quote}]
        lines.append(json.dumps({"id": f"q{number}", "question": " ".join(quote.split()[1:4]), "gold": gold}))
    return "\n".join(lines).encode()
