"""A tag finds what is nested in it, and is counted with it."""

import pytest

from core.workspace import Workspace


@pytest.fixture(autouse=True)
def notes(workspace: Workspace) -> None:
    for title, tags in (("One", ["a/b"]), ("Two", ["a/b", "A/c"]), ("Three", ["ab", "x"]), ("Four", ["a"])):
        workspace.notes.add("notes", f"# {title}\n\nwords", tags=tags)


def test_a_tag_finds_the_notes_of_those_nested_in_it(workspace: Workspace) -> None:
    def titles(term: str) -> set[str]:
        return {note.title for note in workspace.notes.all(workspace.searching.filters(terms=[term]))}

    assert titles("tag:a") == {"One", "Two", "Four"}
    assert titles("tag:A/B") == {"One", "Two"}
    assert titles("-tag:a") == {"Three"}


def test_tags_and_facets_count_what_a_click_finds(workspace: Workspace) -> None:
    assert workspace.vocabulary.tags() == {"a": 3, "a/b": 2, "A/c": 1, "ab": 1, "x": 1}
    facets = workspace.search("words", mode="keyword").facets
    assert {facet.value.lower(): facet.hits for facet in facets if facet.field == "tag"}["a"] == 3
