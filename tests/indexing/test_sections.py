"""Chunks that an earlier version stored get their sections at the next opening, and no text is embedded for that."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.model import ChunkingOptions
from core.workspace import Workspace

GUIDE = f"# Guide\n\nIn short.\n\n## Installation\n\n{'install ' * 60}\n\n## Usage\n\n{'use ' * 60}\n"


@pytest.mark.parametrize("strategy", ["markdown", "recursive", "none"])
def test_earlier_chunks_get_their_sections_without_a_new_embedding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "guide.md").write_text(GUIDE)
    with Workspace(tmp_path / "workspace") as workspace:
        options = ChunkingOptions(strategy=strategy, chunk_size=256, chunk_overlap=50)  # type: ignore[arg-type]
        workspace.bases.add("notes", embedder="tfidf", chunking=options)
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "notes", "notes"))
        (note,) = workspace.notes.all()
        before = workspace.chunks.all(note.id)
        assert {chunk.state for chunk in before} == {"embedded"}
        assert any(len(chunk.sections) > 1 for chunk in before)
    with closing(sqlite3.connect(tmp_path / "workspace" / "notes.db")) as connection:
        # As they were: by the section in which a chunk starts.
        connection.execute("UPDATE chunks SET section_title = json_extract(breadcrumb, '$[#-1]')")
        connection.execute("UPDATE chunks SET parent_sections = json_remove(breadcrumb, '$[#-1]'), hierarchy_level = 1")
        connection.execute("UPDATE chunks SET sections = json_array(section_title)")
        connection.execute("UPDATE version SET words = 0")
        connection.commit()
    with Workspace(tmp_path / "workspace") as workspace:
        assert workspace.chunks.all(note.id) == before
        again = workspace.chunks.rechunk("notes")
        assert (again.notes, again.embedded_windows) == (1, 0)
        assert workspace.chunks.all(note.id) == before
        for title in ("Installation", "Usage"):
            (hit, *_) = workspace.search(f"section:{title}").hits
            assert title in hit.chunk.sections
