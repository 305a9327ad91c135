"""A workspace whose every text and name that comes from outside holds one text, where it is taken at all."""

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.base.errors import TesseraError
from core.model import Filters
from core.workspace import Workspace

WORD = "guest"
"""Stands in every text and name."""
TEXTS = "texts"
"""The folder of text files, beside those of workspaces."""
_QUOTE = "What a question asks for."


@dataclass(frozen=True)
class Guests:
    """The folder of all, and the names of what is in its workspace."""

    place: Path
    text: str
    base: str = WORD
    note: str = f"{WORD} note"
    deleted: str = f"{WORD} deleted"
    waiting: str = f"{WORD} waiting"
    questions: str = f"{WORD} questions"
    pack: str = f"{WORD}-pack"
    key: str = ""
    chunk: str = ""
    question_set: str = ""
    run: str = ""

    @property
    def workspace(self) -> Path:
        return self.place / "workspace"

    @property
    def folder(self) -> Path:
        return self.place / "notes"

    @property
    def archive(self) -> Path:
        return next(path for path in self.place.iterdir() if path.suffix == ".zip")

    @property
    def file(self) -> Path:
        return next(path for path in self.folder.iterdir() if path.suffix == ".md")

    def kept(self) -> None:
        """Keep the workspace as it is, for `fresh`."""
        shutil.copytree(self.workspace, self.place / "kept")

    def fresh(self) -> None:
        """Bring the workspace back to what was kept."""
        shutil.rmtree(self.workspace)
        shutil.copytree(self.place / "kept", self.workspace)


def made(place: Path, text: str) -> Guests:
    """Make a workspace with the text in its notes, fields, paths, tags, questions, runs, packs, trash and archive."""
    named = f"{WORD} {text}"
    guests = Guests(place, named)
    guests.folder.mkdir(parents=True)
    (guests.folder / f"{WORD}.md").write_bytes(_note(named).encode("utf-8", "replace"))
    _file(guests.folder, named, ".md").write_bytes(_note(named).encode("utf-8", "replace"))
    _file(guests.folder, f"{named} broken", ".md").write_bytes(
        f"---\n{named}: [\n---\n{named}\n".encode("utf-8", "replace")
    )
    lines = _file(place.parent / TEXTS, f"{named} lines", "") / TEXTS
    lines.mkdir(parents=True)
    _file(lines, named, ".txt").write_bytes(named.encode("utf-8", "replace"))
    with Workspace(guests.workspace) as workspace:
        base = next(filter(lambda name: _taken(workspace, name), (named, WORD)))
        for title in (guests.note, guests.deleted):
            _add(workspace.notes.add, base, title, named)
        _add(workspace.proposals.add, base, guests.waiting, named)
        workspace.notes.apply(workspace.notes.plan_folder(guests.folder, base), confirmed=True)
        ids = {card.title: card.id for card in workspace.notes.all(Filters(bases=(base,)))}
        with suppress(TesseraError):
            workspace.notes.update(ids[guests.note], body=f"{named}, changed")
        workspace.notes.delete([ids[guests.deleted]])
        questions = workspace.question_sets.add_file(base, guests.questions, _questions(named), f"{WORD}.jsonl")
        run = workspace.runs.run(questions, [workspace.runs.own_pipeline(base)])[0]
        _pack(place / "pack", guests.pack, named)
        with suppress(TesseraError):
            workspace.packs.install(place / "pack")
        _taken(workspace, f"{base} gone")
        workspace.archives.export(base, _file(place, named, ".zip"), "zip")
        workspace.bases.delete(f"{base} gone")
        key = workspace.archives.trash()[0].key
        chunk = workspace.chunks.all(ids[guests.note])[0].id
        guests = Guests(place, named, base, key=key, chunk=chunk, question_set=questions.id, run=run.id)
    guests.kept()
    return guests


def _taken(workspace: Workspace, name: str) -> bool:
    """Add a base of this name; return whether it is taken."""
    try:
        workspace.bases.add(name, description=name, keep_tokens=False)
    except TesseraError:
        return False
    return True


def _add(add: Callable[..., object], base: str, title: str, text: str) -> None:
    """Add a note with the text in each field that takes it."""
    fields: dict[str, object] = dict.fromkeys(("type", "category", "project", "scope"), text)
    fields |= {"tags": [text], "path": f"{text}/{title}.md"}
    while True:
        try:
            add(base, f"# {title}\n\n{text}", title=title, **fields)
        except TesseraError:
            text = text if fields else WORD
            fields = dict(list(fields.items())[:-1])
        else:
            return


def _note(text: str) -> str:
    fields = dict.fromkeys(("title", "type", "category", "project", "status", text), text)
    front = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in fields.items()]
    controls = sum(letter < " " for letter in text)
    filler = f"{WORD} " * (100 * controls)  # more control characters than one in a hundred make a file binary
    return "\n".join(
        [
            *["---", *front, f"tags: {json.dumps([text])}", "---"],
            *[f"# {text}", "", text, _QUOTE, f"## {text}", text, filler, ""],
        ]
    )


def _file(folder: Path, name: str, suffix: str) -> Path:
    """Return a file whose name holds the text, if file systems take it."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        name = name.replace("/", "\u2215")
        path = folder / (name.encode()[:200].decode(errors="ignore") + suffix)
        path.touch()
        path.unlink()
    except (OSError, ValueError):
        return folder / f"{WORD} as it is{suffix}"
    return path


def _questions(text: str) -> bytes:
    gold = [{"path": f"{WORD}.md", "quote": _QUOTE}]
    rows = [
        {"id": str(n), "question": f"{WORD} {n} {text}", "kind": text, "note": text, "gold": gold} for n in range(2)
    ]
    return "\n".join(map(json.dumps, rows)).encode()


def _pack(folder: Path, name: str, text: str) -> None:
    folder.mkdir()
    values = {"name": name, "version": "1", "base": f"{name} base", "language": "en", "description": text}
    manifest = "\n".join(f"{key} = {json.dumps(value)}" for key, value in values.items())
    (folder / "pack.toml").write_bytes(manifest.encode("utf-8", "replace"))
    (folder / f"{WORD}.md").write_bytes(f"# {WORD}\n\n{text}\n".encode("utf-8", "replace"))
