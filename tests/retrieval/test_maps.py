"""Notes that mean alike are near on the map; its regions are named by their own words."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.base.phrases import phrases
from core.retrieval.neighbours import maps as layout
from core.workspace import Workspace

TOPICS = {
    "bread": "The sourdough bread rises in the oven with flour and yeast",
    "engine": "The diesel engine burns fuel in each cylinder under a piston",
    "garden": "The garden tomato grows in soil with compost and rain",
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    with Workspace(tmp_path / "workspace") as opened:
        for topic, text in TOPICS.items():
            for number in range(15):
                link = f"[[{topic} {number - 1}]]" if number else ""
                opened.notes.add("all", f"{text} {number}. {link}", title=f"{topic} {number}", path=f"{topic}{number}")
        yield opened


def test_notes_of_one_topic_are_neighbours_and_name_their_region(workspace: Workspace) -> None:
    mapped = workspace.maps.build_map("all")
    topics = [workspace.notes.get(note).title.split()[0] for note in mapped.notes]
    places = np.array(mapped.places)
    assert places.min() >= 0.0
    assert places.max() <= 1.0
    distances = ((places[:, None] - places) ** 2).sum(-1) + 9 * np.eye(len(places))
    same = [topics[int(near)] == topics[number] for number, near in enumerate(distances.argmin(1))]
    assert sum(same) >= 43
    assert len(mapped.links) == 3 * 14
    assert all(topics[first] == topics[second] for first, second in mapped.links)
    assert sum(region.notes for region in mapped.regions) == 45
    for region in mapped.regions:
        words = set(" ".join(region.words).split())
        assert any(words <= set(text.lower().split()) for text in TOPICS.values()), region.words
    assert mapped.left_out == 0


def test_words_of_code_and_markup_and_what_all_notes_say_name_no_region(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    boilerplate = "## Ingredients needed\n:label:`sec_one`\n```python\nimport torch\nlog = label\n```\nimport torch\n"
    with Workspace(tmp_path / "workspace") as workspace:
        for topic, text in TOPICS.items():
            for number in range(15):
                workspace.notes.add("all", f"{boilerplate}{text} {number}", title=f"{topic} {number}")
        names = {word for region in workspace.maps.build_map("all").regions for word in region.words}
    assert names & TOPICS.keys()
    assert not {word for name in names for word in name.split()} & {
        "label",
        "log",
        "import",
        "torch",
        "ingredients",
        "sec",
    }


def test_a_map_is_computed_once_for_its_notes(workspace: Workspace) -> None:
    mapped = workspace.maps.build_map()
    assert workspace.maps.build_map() is mapped
    workspace.bases.add("words", kind="literal")
    note = workspace.notes.add("words", "Found by words only")
    again = workspace.maps.build_map()
    assert again.left_out == 1
    assert note.id not in again.notes
    assert again.places == mapped.places
    workspace.trash.put([again.notes[0]])
    assert len(workspace.maps.build_map().notes) == 44
    assert workspace.maps.build_map("words").notes == ()


@pytest.mark.parametrize("count", [13, 40, 700])
def test_neighbours_are_the_nearest_points(count: int) -> None:
    points = np.random.default_rng(1).normal(size=(count, 5)).astype(np.float32)
    distances = ((points[:, None] - points) ** 2).sum(-1)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1)[:, :12]
    assert (np.sort(layout.neighbours(points, 12)) == np.sort(nearest)).all()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_few_vectors_have_places_too(count: int) -> None:
    vectors = np.eye(6, dtype=np.float32)[:count]
    places = layout.places(vectors)
    assert places.shape == (count, 2)
    assert np.isfinite(places).all()


def test_no_phrase_ends_within_a_chinese_word() -> None:
    text = "预估卡路里：九百。油锅里放鱼。油锅中加水，油锅要热。从零开始实现。做什么菜。一些基本。\n" * 3
    found = phrases(text)
    assert {"预估卡路里", "油锅", "从零开始实现"} <= found.keys()
    assert not {"预估卡路", "零开始实现", "油锅里", "什么", "一些基本"} & found.keys()
