"""No word of a file between two rules is lost: it is found in the body, in a property, or the import names its line."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import QueryError
from core.workspace import Workspace

FILES = {
    "poem.md": "---\n\nThe first stanza mentions a lantern.\n\n---\n\nThe second stanza mentions a ferry.\n",
    "minutes.md": "---\nMeeting with Noor: budget agreed\n- hire a plumber\n---\nAfter the line: invoices.\n",
    "list.md": "---\n- first item mango\n- second item lychee\n---\nbody\n",
    "table.md": "---\n| a | b |\n|---|---|\n| zinc | tin |\n---\nbody nickel\n",
    "heading.md": "---\n# Heading of saffron\n---\nrest cardamom\n",
    "zh.md": "---\n旧房子的灯笼在阁楼。\n---\n正文：渡船。\n",
    "cards.md": "---\nQ: what is the door code?\nA: it is 4711\n---\nQ: and the alarm?\nA: 0815\n",
    "colon.md": "---\ntitle: Plan: second part\nsummary: The furnace was replaced by Vandermeer\n---\nBody turmeric.\n",
    "tab.md": "---\ntags: [a]\n\ttabbed: 1\nnote: apricot in a tab block\n---\nbody tab\n",
    "good.md": "---\nsummary: The boiler was replaced by Ostrander\nauthor: [Kim Lee, 'Ö. Åberg']\nrating: 15\n"
    "draft: true\nempty:\n---\nBody paprika with kimberlite.\n\n# Second\n\n" + "More text of that. " * 200,
    "prose.md": "---\nSunday with Ferdinand: quiet\n---\nThen home.\n",
    "plain.md": "Nobody wrote anything of it.\n",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    place = tmp_path_factory.mktemp("front")
    for path, text in FILES.items():
        (place / "vault").mkdir(exist_ok=True)
        (place / "vault" / path).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        patch.setenv("TESSERA_SEARCH__RERANKER", "none")
        with Workspace(place / "workspace") as workspace:
            workspace.imports.apply(workspace.imports.plan_folder(place / "vault", "vault"))
            yield workspace


def found(workspace: Workspace, typed: str) -> set[str]:
    return {str(hit.note.path) for hit in workspace.search(typed, mode="keyword", limit=20).hits}


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("lantern", "poem.md"),
        ("ferry", "poem.md"),
        ("plumber", "minutes.md"),
        ("noor", "minutes.md"),
        ("lychee", "list.md"),
        ("zinc", "table.md"),
        ("saffron", "heading.md"),
        ("灯笼", "zh.md"),
        ("4711", "cards.md"),
        ("alarm", "cards.md"),
        ("vandermeer", "colon.md"),
        ("turmeric", "colon.md"),
        ("apricot", "tab.md"),
        ("ostrander", "good.md"),
        ('"boiler was replaced"', "good.md"),
        ("aberg", "good.md"),
        ("ferdinand", "prose.md"),
    ],
)
def test_every_word_is_found(workspace: Workspace, typed: str, path: str) -> None:
    assert found(workspace, typed) == {path}


def test_lines_that_cannot_be_read_are_named(workspace: Workspace) -> None:
    unread = {
        str(card.path): [(one.kind, one.place) for one in workspace.notes.get(card.id).left_out]
        for card in workspace.notes.all()
        if workspace.notes.get(card.id).left_out or card.warnings
    }
    told = {str(card.path): [*map(str, card.warnings)] for card in workspace.notes.all() if card.warnings}
    assert told == {
        "colon.md": ["Line 2 of the front matter can't be read: put its value in quotation marks."],
        "tab.md": ["Line 3 of the front matter can't be read: put its value in quotation marks."],
    }
    assert unread.keys() == told.keys()


@pytest.mark.parametrize(
    ("typed", "paths"),
    [
        ("author:Kim", {"good.md"}),
        ("AUTHOR:kim", {"good.md"}),
        ('author:"kim lee"', {"good.md"}),
        ("author:O\u0308.", {"good.md"}),
        ("author:kimber", set()),
        ("rating:15", {"good.md"}),
        ("rating:5", set()),
        ("draft:true", {"good.md"}),
        ("summary:furnace,boiler", {"good.md", "colon.md"}),
        ("has:author", {"good.md"}),
        ("has:summary,note", {"good.md", "colon.md", "tab.md"}),
        ("has:table,author", {"good.md", "table.md"}),
        ("-has:summary has:note", {"tab.md"}),
        ("has:summary -author:kim", {"colon.md"}),
        ("Q:door", {"cards.md"}),
    ],
)
def test_properties_are_filters(workspace: Workspace, typed: str, paths: set[str]) -> None:
    assert found(workspace, typed) == paths
    terms = [typed] if '"' in typed else typed.split()
    assert {card.path for card in workspace.notes.all(workspace.searching.filters(terms=terms))} == paths


def test_the_properties_there_are_are_offered(workspace: Workspace) -> None:
    assert workspace.search("autor:Kim").understood.colons == (("autor", "author"),)
    with pytest.raises(QueryError, match=r"author.*summary"):
        workspace.search("has:nothing")
    assert found(workspace, "Q: alarm") == {"cards.md"}
    assert workspace.search("author:Kim").understood.terms[0].field == "author"


def test_properties_follow_their_note(tmp_path: Path, workspace: Workspace) -> None:
    folder = tmp_path / "moving"
    folder.mkdir()
    for writer in ("Quill", "Feather"):
        (folder / "a.md").write_text(f"---\nwriter: {writer} Pen\n---\nbody of {writer}s\n", encoding="utf-8")
        workspace.imports.apply(workspace.imports.plan_folder(folder, "moving"))
    assert (found(workspace, "writer:feather"), found(workspace, "writer:quill")) == ({"a.md"}, set())
    assert found(workspace, "feather") == {"a.md"}
    note = workspace.notes.find("a.md")
    assert note
    assert found(workspace, '"feather pen"') == {"a.md"}
    workspace.chunks.delete(workspace.chunks.all(note.id)[0].id)
    assert (found(workspace, "feather"), found(workspace, '"feather pen"')) == (set(), set())
    workspace.trash.put(note.id)
    assert workspace.search("writer:feather").notices[0] == "colon_as_text"


def test_properties_are_found_where_the_first_passage_is_hidden(workspace: Workspace) -> None:
    note = workspace.notes.find("good.md")
    assert note
    first = workspace.chunks.all(note.id)[0]
    workspace.chunks.delete(first.id)
    assert found(workspace, "ostrander") == found(workspace, '"replaced by ostrander"') == {"good.md"}
