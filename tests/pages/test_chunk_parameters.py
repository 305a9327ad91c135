"""Other parameters on the Chunks page: seen before they count, compared, and applied."""

from dataclasses import replace

import pytest

from core.model import CHUNKING, ChunkingOptions
from pages.ui.shared import knobs
from tests.pages.conftest import Screen


@pytest.fixture
def screen(long: str) -> Screen:
    return Screen().finish("warm").open("chunks", note=long)


def view(screen: Screen, name: str) -> None:
    screen.app.segmented_control("cut_view").set_value(name).run()
    assert not screen.app.exception, screen.app.exception


def strategy(screen: Screen, side: str, name: str) -> None:
    screen.app.selectbox(f"try_{side}_strategy").set_value(name).run()


def test_a_preview_cuts_as_an_import_would_and_changes_nothing(screen: Screen, long: str) -> None:
    view(screen, "preview")
    assert "Same splits <b>30</b>" in screen.text
    strategy(screen, "preview", "none")
    assert "Chunks <b>1</b>" in screen.text
    assert "removed <b>29</b>" in screen.text
    assert len(screen.workspace.chunks.all(long)) == 30
    strategy(screen, "preview", "recursive")
    screen.app.slider("try_preview_chunk_size").set_value(256).run()
    note = screen.workspace.notes.get(long)
    cut = screen.workspace.chunks.cut(note, ChunkingOptions(strategy="recursive", chunk_size=256), "words")
    assert f"Chunks <b>{len(cut.chunks)}</b>" in screen.text


def test_sliders_have_their_defaults_and_ranges_and_those_without_effect_are_shut(screen: Screen) -> None:
    view(screen, "preview")
    ranges = {
        slider.key.removeprefix("try_preview_"): (slider.value, slider.min, slider.max) for slider in screen.app.slider
    }
    assert ranges == {
        "short_doc_threshold": (500, 300, 700),
        "chunk_size": (512, 256, 1024),
        "chunk_overlap": (100, 50, 200),
        "min_headings_for_md_aware": (2, 2, 5),
        "max_single_chunk_size": (1500, 1000, 2000),
    }
    assert not any(slider.disabled for slider in screen.app.slider)
    strategy(screen, "preview", "lines")
    assert [slider.key for slider in screen.app.slider if not slider.disabled] == ["try_preview_max_single_chunk_size"]
    screen.press("reset_preview")
    assert screen.app.selectbox("try_preview_strategy").value == "auto"


@pytest.mark.usefixtures("any_size")
def test_parameters_follow_the_note_until_somebody_moves_them(screen: Screen, long: str) -> None:
    view(screen, "preview")
    workspace = screen.workspace
    workspace.chunks.rechunk(
        note_ids=[long], options=ChunkingOptions(strategy="recursive", chunk_size=300, chunk_overlap=7)
    )
    screen.app.run()
    assert not screen.app.exception, screen.app.exception
    assert screen.app.selectbox("try_preview_strategy").value == "recursive"
    assert screen.app.slider("try_preview_chunk_size").value == 300
    assert "default value" not in screen.text
    assert screen.app.slider("try_preview_chunk_overlap").value == 7
    screen.app.slider("try_preview_chunk_overlap").set_value(60).run()
    workspace.chunks.rechunk(note_ids=[long], options=workspace.bases.all()[0].chunking)
    screen.app.run()
    assert screen.app.slider("try_preview_chunk_overlap").value == 60
    screen.press("reset_preview")
    assert screen.app.slider("try_preview_chunk_overlap").value == 100
    assert screen.app.selectbox("try_preview_strategy").value == "auto"


def apply_shut(screen: Screen) -> list[bool]:
    return [button.disabled for button in screen.app.button if (button.key or "").startswith("apply_")]


@pytest.mark.usefixtures("any_size")
@pytest.mark.parametrize("size", [200, 300, 1100])
def test_sizes_that_an_earlier_version_took_can_be_applied_only_when_moved(
    screen: Screen, long: str, size: int
) -> None:
    options = ChunkingOptions(strategy="recursive", chunk_size=size, chunk_overlap=0)
    screen.workspace.chunks.rechunk(screen.workspace.bases.all()[0].name, options=options)
    view(screen, "preview")
    slider = screen.app.slider("try_preview_chunk_size")
    assert (slider.value, slider.min, slider.max) == (size, min(size, 256), max(size, 1024))
    assert screen.app.slider("try_preview_chunk_overlap").value == 0
    assert apply_shut(screen) == [True, True]
    assert "removed <b>0</b>" in screen.text
    assert "new <b>0</b>" in screen.text
    slider.set_value(513).run()
    assert apply_shut(screen) == [False, False]
    screen.press("reset_preview")
    assert apply_shut(screen) == [True, True]


def test_reset_goes_to_the_parameters_of_the_base_where_the_note_has_its_own(screen: Screen, long: str) -> None:
    screen.workspace.chunks.rechunk(note_ids=[long], options=ChunkingOptions(strategy="recursive", chunk_size=300))
    view(screen, "preview")
    assert screen.app.slider("try_preview_chunk_size").value == 300
    screen.press("reset_preview")
    base = screen.workspace.bases.all()[0].chunking
    assert screen.app.selectbox("try_preview_strategy").value == base.strategy
    assert screen.app.slider("try_preview_chunk_size").value == base.chunk_size
    assert apply_shut(screen) == [False, True]


def test_a_slider_goes_by_ones_where_its_steps_would_miss_a_value() -> None:
    size = replace(CHUNKING["chunk_size"], least=256, most=1024, step=16)
    overlap = replace(CHUNKING["chunk_overlap"], least=50, most=200, step=5)
    assert knobs.scale(size, 512, 512) == (256, 1024, 16)
    assert knobs.scale(size, 300, 512) == (256, 1024, 1)
    assert knobs.scale(overlap, 0, 100) == (0, 200, 5)
    assert knobs.scale(overlap, 100, 207) == (50, 207, 1)


def test_two_cuts_are_compared(screen: Screen) -> None:
    view(screen, "compare")
    assert screen.app.selectbox("try_first_strategy").value == "auto"
    assert screen.app.selectbox("try_second_strategy").value == "recursive"
    strategy(screen, "second", "none")
    text = screen.text
    assert "Chunks <b>30</b>" in text
    assert "Chunks <b>1</b>" in text
    for fact in ("Splits in both <b>1</b>", "only on the left <b>29</b>", "only on the right <b>0</b>"):
        assert fact in text


def test_parameters_become_the_notes_own_and_go_back_to_the_bases(screen: Screen, long: str) -> None:
    view(screen, "preview")
    assert next(button for button in screen.app.button if button.key == "apply_note_preview").disabled
    strategy(screen, "preview", "none")
    screen.press("apply_note_preview").finish("rechunk")
    assert len(screen.workspace.chunks.all(long)) == 1
    own = screen.workspace.chunks.options(long)
    assert own is not None
    assert own.strategy == "none"
    assert "Chosen in this note&#x27;s own settings." in screen.text
    assert "1 note split" in screen.text
    assert "own settings" in screen.text
    strategy(screen, "preview", "auto")
    screen.press("apply_note_preview").finish("rechunk")
    assert screen.workspace.chunks.options(long) is None
    assert len(screen.workspace.chunks.all(long)) == 30
    assert screen.workspace.jobs.find("rechunk").result.embedded_windows == 0


def test_parameters_become_the_bases_and_edits_stay(screen: Screen, long: str) -> None:
    screen.workspace.chunks.update(screen.workspace.chunks.all(long)[4].id, "mine")
    view(screen, "compare")
    strategy(screen, "second", "recursive")
    screen.press("apply_base_second").finish("rechunk")
    assert screen.workspace.bases.all()[0].chunking.strategy == "recursive"
    chunks = screen.workspace.chunks.all(long)
    assert {chunk.kind for chunk in chunks} == {"recursive_character"}
    assert [chunk.text for chunk in chunks if chunk.edited] == ["mine"]
    assert "The notes were split again" in screen.text


def test_the_page_is_whole_in_chinese(long: str) -> None:
    screen = Screen("zh-CN").finish("warm").open("chunks", note=long)
    for name, said in (("preview", "去掉"), ("compare", "仅左边"), ("stored", "新笔记立即可按语义搜索")):
        view(screen, name)
        assert said in screen.text or said in "".join(toggle.label for toggle in screen.app.toggle)
