from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.registry import Entry
from core.retrieval import images
from core.workspace import Workspace
from tests.fakes import Colours


@pytest.fixture
def colours(monkeypatch: pytest.MonkeyPatch) -> Colours:
    """The model for pictures of the test, whose order can be worked out."""
    fake = Colours()
    monkeypatch.setitem(images.IMAGE_EMBEDDERS, "colours", Entry("tests.fakes:Colours"))
    monkeypatch.setitem(images.IMAGE_EMBEDDERS._built, "colours", fake)
    monkeypatch.setenv("TESSERA_PICTURES__MODEL", "colours")
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    return fake


@pytest.fixture
def workspace(tmp_path: Path, colours: Colours) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        yield workspace
