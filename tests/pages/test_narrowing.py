"""Every filter narrows in the search box, and what can't be is told there."""

from pathlib import Path

from core.workspace import Workspace
from tests.doors.narrowing import CASES, EVERY, REFUSED, fill
from tests.pages.conftest import Screen


def titles(screen: Screen, term: str) -> set[str]:
    screen.app.text_input("q").input(f"{term} heron").run()
    assert not screen.app.exception, screen.app.exception
    labels = {link.proto.label for link in screen.app.get("page_link")}
    return labels & {*EVERY, "book"}


def test_every_filter_narrows_or_is_told_in_the_search_box(place: Path, tmp_path: Path) -> None:
    with Workspace(place) as workspace:
        fill(workspace, tmp_path / "birds")
    screen = Screen().finish("warm").open("search")
    for term, expected in CASES.items():
        assert titles(screen, term) == expected, term
    for term, said in REFUSED.items():
        assert titles(screen, term) == set(), term
        assert said in screen.text.replace("\\", ""), term


def test_a_hit_over_several_pages_shows_that_of_its_sentence(place: Path, tmp_path: Path) -> None:
    with Workspace(place) as workspace:
        fill(workspace, tmp_path / "birds")
    screen = Screen().finish("warm").open("search", q="kind:pdf favourite food frogs")
    assert "page 2" in screen.text
