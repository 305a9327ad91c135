"""Where links between notes lead, what links to a note, and which notes a few typed words name."""

import shutil
from pathlib import Path

import pytest

from core.workspace import Workspace

FILES = {
    "plan.md": "---\naliases: [road map]\n---\n# The plan\n\n"
    "To [[Details]], [[area/deep/Far]], [rel](area/Details.md), [[Gone]].\n",
    "Details.md": "# Top details\n",
    "area/Details.md": "# Area details\n\nTo [[Details]], [[road map]], [up](../plan.md#x).\n",
    "area/deep/Far.md": "# Far\n\nTo [[Details]] and [[THE PLAN]].\n",
    "area/deep/other.md": "# One / two\n\nTo [[deep/far]].\n",
}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {"TESSERA_EMBEDDER": "tfidf", "TESSERA_SEARCH__RERANKER": "none"}.items():
        monkeypatch.setenv(name, value)
    for path, text in FILES.items():
        file = tmp_path / "vault" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "vault"


@pytest.fixture
def ids(vault: Path, tmp_path: Path) -> dict[str, str]:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
        return {str(card.path): card.id for card in workspace.notes.all()}


@pytest.mark.parametrize(
    ("note", "target", "leads_to"),
    [
        ("plan.md", "Details", "Details.md"),
        ("area/Details.md", "Details", "area/Details.md"),
        ("area/deep/Far.md", "Details", "area/Details.md"),
        ("plan.md", "area/details.md", "area/Details.md"),
        ("area/deep/Far.md", "../Details.md", "area/Details.md"),
        ("area/deep/Far.md", "../../Details", "Details.md"),
        ("plan.md", "deep/Far", "area/deep/Far.md"),
        ("plan.md", "ROAD MAP", "plan.md"),
        ("area/Details.md", "the plan", "plan.md"),
        ("plan.md", "One / two", "area/deep/other.md"),
        ("plan.md", "wrong/Far", None),
        ("plan.md", "/docs/area/deep/Far.md", "area/deep/Far.md"),
        ("plan.md", "/docs//area/deep/Far/", "area/deep/Far.md"),
        ("plan.md", "/docs/plan.md", None),
        ("plan.md", f"/{'a/' * 5_000}deep/Far.md", None),
        ("plan.md", f"/{'a/' * 5_000}area/deep/Far.md", "area/deep/Far.md"),
        ("plan.md", "Gone", None),
    ],
)
def test_a_link_leads_to_the_nearest_note_of_its_name(
    ids: dict[str, str], tmp_path: Path, note: str, target: str, leads_to: str | None
) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        found = workspace.notes.links().target(workspace.notes.get(ids[note]), target)
        assert found == (ids[leads_to] if leads_to else None)


def test_links_and_backlinks_are_the_same_links(ids: dict[str, str], tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        links = workspace.notes.links()
        to = {
            path: {link.note_id for link in links.resolve(note, note.links) if link.note_id}
            for path, note in ((path, workspace.notes.get(note_id)) for path, note_id in ids.items())
        }
        for path, note_id in ids.items():
            assert {ids[other] for other in to if note_id in to[other]} == set(links.to(note_id)), path
        assert links.to(ids["plan.md"]) == [ids["area/Details.md"], ids["area/deep/Far.md"]]


def test_a_link_from_above_leads_to_the_file_of_the_notes_own_folder(vault: Path, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("first", "second")]
    with Workspace(tmp_path / "workspace") as workspace:
        for folder in folders:
            shutil.copytree(vault, folder)
            workspace.imports.apply(workspace.imports.plan_folder(folder, "both"))
        links = workspace.notes.links()
        for folder in map(str, folders):
            own = {card.path: card for card in workspace.notes.all() if card.source_ref == folder}
            assert links.target(links.names[own["plan.md"].id], "/docs/area/Details") == own["area/Details.md"].id


def test_a_note_of_another_base_is_the_second_choice(ids: dict[str, str], tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:
        here = workspace.notes.add("other", "# Here\n\n[[Far]] and [[Details]]", title="Here", author="person")
        own = workspace.notes.add("other", "text", title="Details", author="person")
        links = workspace.notes.links()
        assert links.target(here, "Far") == ids["area/deep/Far.md"]
        assert links.target(here, "Details") == own.id


def test_notes_are_named_by_words_of_title_alias_and_path(ids: dict[str, str], tmp_path: Path) -> None:
    with Workspace(tmp_path / "workspace") as workspace:

        def found(text: str) -> list[str | None]:
            return [card.path for card in workspace.notes.switch(text, 10)]

        assert found("road") == ["plan.md"]
        assert found("Far") == ["area/deep/Far.md"]
        assert found("deep details") == []
        assert set(found("details")) == {"Details.md", "area/Details.md"}
        assert found("area details")[0] == "area/Details.md"
        assert len(found("")) == 5


def test_attachments_are_of_the_folder_and_never_outside(ids: dict[str, str], vault: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"secret")
    for place in ("area/pic.png", "top.png", ".hidden/x.png", "area/paper.pdf"):
        (vault / place).parent.mkdir(exist_ok=True)
        (vault / place).write_bytes(b"x")
    (vault / "area" / "link.png").symlink_to(tmp_path / "secret.png")
    with Workspace(tmp_path / "workspace") as workspace:

        def place(target: str, note: str = "area/Details.md") -> str | None:
            file = workspace.attachments.find(ids[note], target)
            return file.place if file else None

        assert place("pic.png") == place("pic.png", "plan.md") == place("/area/pic.png") == "area/pic.png"
        assert place("../top.png") == place("top.png") == "top.png"
        for outside in ("../../secret.png", "/../secret.png", str(tmp_path / "secret.png"), "link.png", "x.png"):
            assert place(outside) is None, outside
        assert place("../.hidden/x.png") is place("") is place("..") is place("a\0b") is None
        paper = workspace.attachments.find(ids["plan.md"], "paper.pdf")
        assert paper
        assert paper.type == ""
        made = workspace.notes.add("vault", "text", title="Made", author="person")
        shown = workspace.attachments.find(made.id, "top.png")
        assert shown
        assert shown.place == "top.png"
        assert workspace.attachments.find(made.id, "../secret.png") is None
        elsewhere = workspace.notes.add("other", "text", title="Made", author="person")
        assert workspace.attachments.find(elsewhere.id, "top.png") is None


@pytest.mark.parametrize(
    "extra", [{}, {"Far.md": "# Far\n", "area/Top details.md": "x\n", "lease.docx.md": "# Lease\n"}]
)
def test_the_name_of_a_note_leads_to_it_from_each_note(vault: Path, tmp_path: Path, extra: dict[str, str]) -> None:
    for path, text in extra.items():
        (vault / path).write_text(text, encoding="utf-8")
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
        links, notes = workspace.notes.links(), [workspace.notes.get(card.id) for card in workspace.notes.all()]
        for note in notes:
            for other in notes:
                name = links.name(other.id)
                assert links.target(note, name) == other.id, (note.path, name)
