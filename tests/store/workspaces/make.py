"""Write `schema-N.db` beside this file, a small workspace in the schema of today, with something of everything.

Run as `python -m tests.store.workspaces.make` at the top of the repository, before the next migration is written.
"""

import os
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from core import model
from core.base.messages import message
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.features.packs.upgrade import PackTable
from core.features.related.concepts import ConceptTable
from core.features.threads.service import ThreadTable
from core.store import migrations as schema
from core.workspace import Workspace

SETTINGS = {"TESSERA_EMBEDDER": "words", "TESSERA_CHUNKING__CHUNK_SIZE": "256"}
HERE = Path(__file__).parent

_STEPS = "\n".join(
    f"{number}. Check the {part} of the archive against the checksum that the night before has left beside it,"
    " and write the time it took into the log."
    for number, part in enumerate("header index rows blobs roles grants triggers views functions tail".split(), 1)
)
_TABLE = "\n".join(f"| node-{number} | {number * 7} GB | rack {number % 3} |" for number in range(1, 9))
RUNBOOK = f"""---
title: Backup runbook
tags: [backup, PostgreSQL]
type: runbook
project: atlas
priority: 2
created: 2024-03-01
updated: 2024-05-06 07:08:09
aliases: [restoring]
reviewer: Ada
source_url: https://example.org/runbook
---

# Backup runbook

Backups are only worth what their last restore proved. See [[缓存雪崩]].

## Taking one

Run the dump every night and copy the file to another machine.

{_STEPS}

## Restoring

Create an empty database and run `pg_restore` on it. Count the rows of the largest table and compare.

{_STEPS.replace("Check", "Restore")}

## Machines

| machine | size | place |
| --- | --- | --- |
{_TABLE}

## Script

```python
def newest(folder):
    return max(folder.iterdir())
```
"""
CACHE = """---
title: 缓存雪崩
tags: [redis, 缓存]
type: 笔记
project: 电商
updated: 2024-06-01
---

# 缓存雪崩

大量的键同时过期，请求全部落到数据库上，这就是缓存雪崩。

## 预防

给过期时间加上随机值，可以把失效的时刻错开。
"""
TRADITIONAL = """# 記憶體筆記

臺灣的說法是記憶體。

資料庫要先放進快取。
"""
UNDATED = """---
tags: draft
created: someday
status: archived
---

The sourdough rested for two hours, then a night in the fridge.
"""
LEAVING = "# Leaving\n\nThis note goes away, and what was written over it stays.\n"
FIRST = "# Embedded\n\nThis note of the waiting base is embedded already.\n"
TOKENS = "# Embedded\n\nThis note of the base with bits is embedded already.\n"
SECOND = "# Waiting\n\nThis note of the waiting base waits to be embedded.\n"


def write(folder: Path, notes: dict[str, str]) -> Path:
    """Write notes below a folder and return it."""
    for path, text in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def sync(workspace: Workspace, folder: Path, base: str) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(folder, base), confirmed=True)


def ids(workspace: Workspace) -> dict[str | None, str]:
    """Return the ids of the notes by their paths."""
    return {card.path: card.id for card in workspace.notes.all()}


# Each step is of the schema version that brought it.


def import_notes(workspace: Workspace, folder: Path) -> None:
    """1: notes with front matter, links, a warning, an archived one, and a file that can't be read."""
    vault = {
        "Projects/runbook.md": RUNBOOK,
        "缓存/雪崩.md": CACHE,
        "臺灣/記憶體.md": TRADITIONAL,
        "undated.md": UNDATED,
        "leaving.md": LEAVING,
        "empty.md": "",
    }
    sync(workspace, write(folder / "vault", vault), "notes")
    sync(workspace, write(folder / "other", {"embedded.md": FIRST}), "waiting")


def edit(workspace: Workspace, folder: Path) -> None:
    """2: every kind of edit, one of a note that is gone, a note cut by its own options, and chunks that wait."""
    notes = ids(workspace)
    runbook = notes["Projects/runbook.md"]
    workspace.chunks.rechunk(note_ids=[notes["臺灣/記憶體.md"]], options=model.ChunkingOptions(strategy="lines"))
    chunks = [chunk.id for chunk in workspace.chunks.all(runbook)]
    workspace.chunks.update(chunks[0], "Backups are proved by restores, says a person.")
    workspace.chunks.delete(chunks[1])
    workspace.chunks.add(runbook, "A person's own remark: ask Grace for the passphrase.", after=chunks[2])
    workspace.chunks.split(workspace.chunks.all(notes["缓存/雪崩.md"])[0].id, 10)
    lines = [chunk.id for chunk in workspace.chunks.all(notes["臺灣/記憶體.md"])]
    workspace.chunks.merge(lines[0])
    workspace.chunks.update(workspace.chunks.all(notes["leaving.md"])[0].id, "What stays of the note that left.")
    workspace.bases.update("waiting", embed_at_once=False)
    sync(workspace, write(folder / "other", {"waiting.md": SECOND}), "waiting")


def switch(workspace: Workspace, folder: Path) -> None:
    """3: a base with token bits, one without, and a change of embedder that was begun."""
    workspace.settings.embedder = "word-tokens"
    sync(workspace, write(folder / "tokens", {"bits.md": TOKENS}), "bits")
    workspace.bases.keep_tokens("notes", False)
    workspace.switches.begin("waiting", "tfidf")


def search(workspace: Workspace) -> None:
    """4: past and saved searches, feedback, and how a base is searched; 8 brings its reranker."""
    result = workspace.search("restore", mode="keyword", filters=model.Filters(bases=("notes",)))
    workspace.uses.judge("restore", result.hits[0].note.id, result.hits[0].chunk.id, "helpful")
    result = workspace.search("雪崩", mode="keyword")
    workspace.uses.judge("雪崩", result.hits[0].note.id, result.hits[0].chunk.id, "harmful")
    workspace.searches.add("restore")
    workspace.searches.add("restore")
    workspace.searches.save("tag:redis 雪崩", "Outages 事故")
    settings = model.SearchSettings(
        limit=7, score_threshold=0.125, semantic_weight=0.25, rerank_weight=0.75, reranker="late-interaction"
    )
    workspace.bases.update("notes", search=settings)


def question(workspace: Workspace) -> model.QuestionSet:
    """7: questions with correct passages, one of a note that is leaving, one without any, and a suggested one."""
    notes, store = ids(workspace), workspace.store.questions
    nights = store.add_set(workspace.bases.get("notes"), "Nights 夜班")

    def gold(path: str, quote: str) -> model.GoldSpan:
        start = workspace.notes.get(notes[path]).body.index(quote)
        return model.GoldSpan(path, quote, start, start + len(quote), notes[path])

    store.add(
        nights,
        [
            model.Question(
                "restore",
                "how to restore a dump",
                (
                    gold("Projects/runbook.md", "Create an empty database and run `pg_restore` on it."),
                    gold("Projects/runbook.md", "Count the rows of the largest table and compare."),
                ),
                any=False,
                kind="how",
                note="asked every week",
            ),
            model.Question("", "雪崩", (gold("缓存/雪崩.md", "给过期时间加上随机值"),)),
            model.Question("left", "what goes away", (gold("leaving.md", "This note goes away"),)),
            model.Question("none", "zzz", ()),
            model.Question("guess", "臺灣", (gold("臺灣/記憶體.md", "臺灣的說法是記憶體。"),), suggested=True),
        ],
    )
    return nights


def leave(workspace: Workspace, folder: Path) -> None:
    """Take away the file of a note that may have an edit and a correct passage."""
    (folder / "vault" / "leaving.md").unlink()
    sync(workspace, folder / "vault", "notes")


def run(workspace: Workspace, nights: model.QuestionSet) -> None:
    """8: runs of two pipelines with their results."""
    settings = model.SearchSettings(mode="keyword", reranker="none")
    by_word = model.Pipeline("by word", search=settings)
    lines = model.Pipeline("by line", search=settings, chunking=model.ChunkingOptions(strategy="lines"))
    workspace.runs.run(nights, [by_word, lines])


def write_here(workspace: Workspace) -> None:
    """12: a draft, a change that waits for a person, a creation with a key, and a pack."""
    store, note = workspace.store, workspace.notes.get(ids(workspace)["undated.md"])
    at = datetime(2026, 3, 4, tzinfo=UTC)
    store.drafts.put(model.NoteDraft(note.id, note.base_id, note.version, note.title, "未保存 words", {}, at))
    store.proposals.put(model.Proposal(note.id, note.version, "A program's words.", {}, at))
    store.creations.begin("a-key", b"a request")
    store.creations.end("a-key", model.Creation(b"a request", 201, {"location": "/"}, b"{}"))
    with store.database.write():
        row = {"name": "cooking", "version": "1.0", "base_id": note.base_id, "folder": ""}
        store.database.insert("packs", row | {"initialized_at": at.isoformat(), "checked_at": at.isoformat()})
        PackTable(store.database).put_files("cooking", {"bread.md": "0f"})


def throw_away(workspace: Workspace) -> None:
    """13: a deleted base, and what is in the trash too long."""
    workspace.bases.add("gone")
    workspace.bases.delete("gone")
    workspace.store.database.insert("overdue", {"item": "note:gone", "opening": 1})


def refuse(workspace: Workspace) -> None:
    """14: a passage that the model refuses."""
    base = workspace.bases.add("stubborn", embedder="words", embed_at_once=False)
    note = workspace.notes.add("stubborn", "Words that no model takes.")
    workspace.store.refusals.add(base.fingerprint, b"refused", message("is too long"))
    (chunk,) = workspace.store.chunks.rowids_of(note.id)
    (refusal,) = workspace.store.refusals.ids(base.fingerprint, [b"refused"]).values()
    workspace.store.refusals.link({chunk: refusal})


def convert(workspace: Workspace) -> None:
    """15: an upload that was converted, and files that weren't read."""
    files = [("garden.csv", b"plant,sun\ntomato,yes\n"), ("torn.pdf", b"%PDF-1.7"), ("film.mp4", b"")]
    workspace.imports.apply(workspace.imports.plan_upload(files, "uploads"))


def read_pictures(workspace: Workspace, folder: Path) -> None:
    """16: a base whose pictures are read: one with text, one that can't be read."""
    vault = write(folder / "pictures", {"board.md": "# Board\n\n![[board.png]] ![[torn.png]]\n", "board.png": "b"})
    write(vault, {"torn.png": "t"})
    workspace.bases.add("pictures", embedder="words", read_pictures=True)
    sync(workspace, vault, "pictures")
    table, (note_id,) = workspace.store.pictures, [card.id for card in workspace.notes.all() if card.path == "board.md"]
    for picture in table.for_note(note_id):
        table.look(note_id, replace(picture, place=picture.target, hash=picture.target, size=1))
    table.keep(model.ReadPicture("board.png", "Irrigation of the greenhouse", "a reader"))
    table.keep(model.ReadPicture("torn.png", "", ""), message("is damaged."))
    workspace.chunks.rechunk(note_ids=[note_id])


def decide(workspace: Workspace) -> None:
    """17: what waits for a person is let be, or put off."""
    workspace.review.let_be(["copy-0a1b2c3d4e5f"])
    workspace.review.postpone(["note-0a1b2c3d4e5f"])


def learn(workspace: Workspace) -> None:
    """18: a fact learnt from a log that waits, and one that was rejected."""
    workspace.learning.enable(True)
    workspace.bases.add("learnt", embedder="words")
    workspace.learning.learn("learnt", text="12:00:00 INFO most - listening on 0.0.0.0:2020\n", name="app.log")
    workspace.learning.learn("learnt", text="12:00:00 INFO least - listening on 0.0.0.0:2002\n", name="app.log")
    workspace.proposals.reject(workspace.proposals.all("learnt")[:1], reason="known")


def answer(workspace: Workspace) -> None:
    """19: a thread with an answer, a concept that is pinned, and a check whether notes can be found."""
    store, note = workspace.store, workspace.notes.get(ids(workspace)["Projects/runbook.md"])
    at, quote = datetime(2026, 3, 4, tzinfo=UTC), "Count the rows of the largest table and compare."
    start = note.body.index(quote)
    cited = model.Cited(1, note.id, note.version, note.title, quote, start, start + len(quote))
    sentence = model.Sentence("Count the rows.", (1,))
    ThreadTable(store.database).add(
        model.Turn("nights", 1, "how?", "how to restore?", "a model", (sentence,), (cited,), at)
    )
    ConceptTable(store.database).put("backup", "pin")
    with store.database.write(aside=True) as connection:
        connection.execute("INSERT INTO checks VALUES (?, ?, '{}')", (note.base_id, at.isoformat()))


def click(workspace: Workspace) -> None:
    """20: a hit that was cited for a question, on a day that stays recent, and a picture with a vector."""
    day = datetime(2099, 1, 1, tzinfo=UTC)
    note_id = ids(workspace)["Projects/runbook.md"]
    workspace.store.clicks.add([model.Click(note_id, "how to restore?", "cite", day)], day)
    board = workspace.notes.get(ids(workspace)["board.md"])
    picture = model.NotePicture("board.png", place="board.png", mtime_ns=1, size=2, hash="0f", looked=True)
    workspace.store.images.put(board.id, [picture], 1)
    workspace.store.images.keep("pictures", "0f", np.ones(4, dtype=np.float32))


def part(workspace: Workspace) -> None:
    """21: a change of a file that a crash parted, and that could not be undone."""
    with workspace.store.database.write(aside=True) as connection:
        connection.execute(
            "INSERT INTO file_intents (folder, path, new_path, after, left) VALUES ('', '1.md', '2.md', '', 1)"
        )


def pack(file: Path, target: Path) -> None:
    """Leave one small file of a closed database."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA page_size = 1024")
        connection.execute("VACUUM")
    shutil.copyfile(file, target)


def make(folder: Path, target: Path) -> None:
    """Write the workspace of today."""
    with Workspace(folder / "workspace") as workspace:
        import_notes(workspace, folder)
        edit(workspace, folder)
        switch(workspace, folder)
        search(workspace)
        nights = question(workspace)
        leave(workspace, folder)
        run(workspace, nights)
        write_here(workspace)
        throw_away(workspace)
        refuse(workspace)
        convert(workspace)
        read_pictures(workspace, folder)
        decide(workspace)
        learn(workspace)
        answer(workspace)
        click(workspace)
        part(workspace)
    pack(folder / "workspace" / "notes.db", target)


def prepare() -> None:
    """Set what a workspace of these fixtures needs: embedders without a model, and small chunks."""
    os.environ.update(SETTINGS)
    EMBEDDERS["words"] = Entry("tests.fakes:WordLengths")
    EMBEDDERS["word-tokens"] = Entry("tests.fakes:WordTokens")


if __name__ == "__main__":
    target = HERE / f"schema-{len(schema.MIGRATIONS)}.db"
    if target.exists():
        sys.exit(f"{target} is there already.")
    prepare()
    with tempfile.TemporaryDirectory(prefix="tessera-") as temporary:
        make(Path(temporary), target)
