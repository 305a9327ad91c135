"""A workspace in which everything was used, and what has to be there whatever file of it is damaged."""

import json
import random
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from unittest.mock import patch

import numpy as np

from core.base.faults import damage_error
from core.base.log import tail
from core.embedding.tfidf import DIMENSION, Tfidf
from core.features.archives import expiry
from core.model import ChunkingOptions, Matrix, NoteDraft, Pipeline, Role, SearchSettings
from core.workspace import Workspace

LARGE, SMALL = (36, 32), (4, 4)
"""Notes, and sections of each: with fewer than 1,000 windows Chroma writes no HNSW file."""
_SYLLABLES = (("ka", "lo", "mi", "nu", "re", "sa"), ("bar", "den", "fil"), ("ix", "um", "a"))
WORDS = ["".join(parts) for parts in product(*_SYLLABLES)]
QUESTION = " ".join(WORDS[::11])
_AS_CUT = Pipeline(search=SearchSettings(reranker="none"))
_OTHER_CUT = Pipeline("lines", chunking=ChunkingOptions(strategy="lines"), search=SearchSettings(reranker="none"))
_ADDRESS = "http://127.0.0.1:1"


class Projected(Tfidf):
    """Hashed words in few numbers, so that an index is built in a second."""

    fingerprint = "damage-48"
    dimension = 48
    _map = np.random.default_rng(0).standard_normal((DIMENSION, dimension), np.float32)

    def embed(self, texts: list[str], *, role: Role) -> Matrix:  # type: ignore[override]
        """Return one vector per text, the same for notes and questions."""
        vectors = super().embed(texts, role=role) @ self._map
        unit: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def make(place: Path, seed: int, size: tuple[int, int]) -> None:
    """Make a used workspace, closed and clean, and a copy of it as a killed process would leave it."""
    chance = random.Random(seed)
    notes = place / "notes"
    notes.mkdir(parents=True)
    for number in range(size[0]):
        heads = (" ".join(chance.choices(WORDS, k=4)) for _ in range(size[1]))
        parts = [f"## {head}\n\n{' '.join(chance.choices(WORDS, k=40))}.\n" for head in heads]
        (notes / f"{number}.md").write_text("\n".join(parts))
    with Workspace(place / "closed") as workspace:
        workspace.notes.apply(workspace.notes.plan_folder(notes, "base"))
        # What a run cuts otherwise is damaged in a small workspace only, and takes longest of all in a large one.
        _use(workspace, seed, _OTHER_CUT if size == SMALL else _AS_CUT)
    shutil.copytree(place / "closed", place / "killed")
    with Workspace(place / "killed") as workspace:
        workspace.store.open_index()
        (notes / "late.md").write_text(f"# Late\n\n{QUESTION}")
        workspace.notes.apply(workspace.notes.plan_folder(notes, "base"))
        for base in workspace.bases.all():
            workspace.store.index.ids(base)  # the index has followed: Chroma writes nothing while its files are copied
        shutil.copytree(place / "killed", place / "now")
    (notes / "late.md").unlink()
    shutil.rmtree(place / "killed")
    (place / "now").rename(place / "killed")


def _use(workspace: Workspace, seed: int, pipeline: Pipeline) -> None:
    """Do whatever writes a file into a workspace."""
    for name in ("expired", "deleted"):
        workspace.notes.add(name, f"{name} {QUESTION}", title=f"In {name}", embed=False)
        note = workspace.notes.add("base", QUESTION, title=name, embed=False)
        workspace.notes.delete(note.id)
        workspace.bases.delete(name)
        for days in (0, 31, 32) if name == "expired" else ():
            with patch.object(expiry, "today", lambda days=days: datetime.now(UTC).date() + timedelta(days=days)):
                workspace.archives.expire_trash()
    now = datetime.now(UTC)
    workspace.drafts.put(NoteDraft("new", "", 0, "Draft", "unsaved", {}, now))
    workspace.packs.install("sample", embed=False)
    workspace.backups.make()
    quote = workspace.notes.get(workspace.notes.find("1.md").id).body[:30]
    questions = json.dumps({"id": "q1", "question": QUESTION, "gold": [{"path": "1.md", "quote": quote}]}).encode()
    workspace.runs.run(workspace.question_sets.add_file("base", "set", questions, "q.jsonl"), [pipeline])
    workspace.preferences.set("language", "en")
    workspace.vocabulary.write(f"type{seed}: one, two\n")
    workspace.search(QUESTION, level="exploratory", bases=("base",))
    (workspace.store.folder / "synonyms.txt").write_text(f"word{seed}, other{seed}\n")
    workspace.log.doRollover()
    workspace.access.open(_ADDRESS)
    workspace.access._own = None  # as after a kill


def missing(workspace: Workspace, path: str) -> str:
    """Look at everything as the app does; return what is gone or wrong and not told, empty if nothing is."""
    workspace.access.open(_ADDRESS)
    token = workspace.access.token
    if workspace.access.admits("", programs=True) or not workspace.access.admits(token, programs=True):
        return "the token"
    workspace.preferences.set("look", "dark")
    if workspace.preferences.get("look") != "dark":
        return "a choice isn't stored"
    status, trash = workspace.status(), workspace.archives.trash()
    _look(workspace)
    if path.startswith("scratch"):
        workspace.runs.run(workspace.question_sets.all("base")[0], [_OTHER_CUT])
    counts = {
        "base": any(base.base.name == "base" and base.notes >= SMALL[0] for base in status.bases),
        "pack": len(status.packs) == 1,
        "deleted note": "deleted" in [one.version.title for one in workspace.notes.trash()],
        "draft": len(workspace.drafts.all()) == 1,
        "set": len(workspace.question_sets.all("base")) == 1,
        "deleted base": _is_there(trash, path, "trash", ["deleted"]),
        "expired": _is_there(trash, path, "backups", ["base", "expired"]),
    }
    return ", ".join(name for name, there in counts.items() if not there)


def _is_there(trash: Sequence[object], path: str, folder: str, names: list[str]) -> bool:
    """Whether the archives are listed, if their own folder or file isn't what was damaged."""
    return path.startswith(folder) or {*names} <= {getattr(one, "name", "") for one in trash}


def _look(workspace: Workspace) -> None:
    """Read what else the pages and the bug report read."""
    folder = workspace.store.folder
    workspace.vocabulary.types(), workspace.vocabulary.problems(), workspace.snippets(_ADDRESS)
    str(workspace.bug_report()), tail(folder, 20), str(damage_error(folder, "a trial"))
    workspace.search(WORDS[3], mode="keyword")
