"""Text folders on the pages: their lines with numbers, their text as it is written."""

from pathlib import Path

import pytest

from core.workspace import Workspace
from tests.pages.conftest import Screen


@pytest.fixture
def lines(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Screen:
    """The app beside a text folder that was scanned."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tessera.toml").write_text("[knowledge]\nenabled = true\n")
    texts = tmp_path / "knowledge" / "faq" / "texts"
    texts.mkdir(parents=True)
    (texts / "a.txt").write_text("# first\n\nherons <b>stand</b> in [[water]]\n")
    with Workspace(place) as workspace:
        workspace.text_folders.scan()
    return Screen().finish("warm")


def test_a_text_is_shown_with_the_numbers_of_its_lines(lines: Screen) -> None:
    (card,) = lines.workspace.notes.all()
    shown = lines.open("notes", note=card.id, chunk="1").text
    assert "<div><i>1</i><span># first</span></div><div><i>2</i><span></span></div><div class=on><i>3</i>" in shown
    assert "herons &lt;b&gt;stand&lt;/b&gt; in [[water]]" in shown
    assert "line 3" in lines.open("search", q="herons").text
    assert "Preview" not in lines.open("chunks", note=card.id).text


def test_the_card_of_a_base_says_what_it_is_of(lines: Screen) -> None:
    assert "Text files, line by line" in lines.open("bases").text
    one = lines.open("bases", base="faq")
    assert [toggle.key.split("_base")[0] for toggle in one.app.toggle if toggle.key.startswith("write_files")] == []
    (at_once,) = [toggle for toggle in one.app.toggle if toggle.key.startswith("embed_at_once")]
    assert at_once.disabled
