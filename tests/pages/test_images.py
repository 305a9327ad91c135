"""Pictures by what they show, on the pages: the cards, the way to others like one, the model in the settings."""

from pathlib import Path

import pytest

from core.base.registry import Entry
from core.retrieval import images
from core.workspace import Workspace
from tests.images.test_images import sync, vault
from tests.pages.conftest import Screen

__all__ = ["vault"]


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(images.IMAGE_EMBEDDERS, "colours", Entry("tests.fakes:Colours"))


def places(screen: Screen) -> list[str]:
    """The pictures in sight, in their order."""
    shown = [element.proto.body for element in screen.app.get("html")]
    return [body.split(">")[1].split("<")[0] for body in shown if body.startswith('<div class="t-crumb">')]


def test_pictures_have_cards_and_lead_to_others(place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_PICTURES__MODEL", "colours")
    with Workspace(place) as workspace:
        sync(workspace, vault)
    screen = Screen().finish("warm").open("search", q="the photo of something red").finish("warm_images")
    assert places(screen) == ["red.png", "purple.png", "trip/img/blue.jpg"]
    assert screen.text.count('<img class="t-picture" src="/attachment/') == 3
    assert "3 pictures" in screen.text
    screen.press("like_1")
    assert screen.app.text_input("q").value == 'has:image like:"red.png"'
    assert places(screen) == ["purple.png", "trip/img/blue.jpg"]
    assert "No note matches" not in screen.text
    assert "Why not this note?" not in screen.text


def test_the_model_is_chosen_on_the_settings_page(place: Path, vault: Path) -> None:
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"), confirmed=True)
    screen = Screen().finish("warm").open("settings").tab("Models", "another_model")
    assert "can be found by what" not in screen.text
    screen.app.text_input("setting_pictures.model").input("colours").run()
    screen.finish("images")
    assert 'model = "colours"' in Path("tessera.toml").read_text()
    assert "3 pictures can be found by what they show" in screen.text
    screen.app.text_input("setting_pictures.model").input("/nowhere").run()
    assert "/nowhere contains no model for pictures" in screen.text
