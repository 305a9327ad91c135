"""Numbers and names of any size are taken, or refused with a sentence."""

from collections.abc import Callable

import pytest

from core.base.errors import ConfigError, EditError, TesseraError, UnknownChoice
from core.model import SearchSettings
from core.workspace import Workspace


def test_a_priority_beyond_the_range_is_refused(workspace: Workspace) -> None:
    for priority in (10**6, -(2**63), 10**5000, -(10**5000), "9" * 5000, 1e308, float("nan"), True):
        with pytest.raises(EditError, match="isn't a whole number from -999,999 to 999,999"):
            workspace.notes.add("desk", "text", priority=priority, author="person")  # type: ignore[typeddict-item]


def test_a_number_that_the_database_can_not_hold_is_refused(workspace: Workspace) -> None:
    note = workspace.notes.add("desk", "text", author="person")
    for number in (2**63, -(2**63) - 1, 10**5000):
        acts: tuple[Callable[[], object], ...] = (
            lambda number=number: workspace.versions.get(note.id, number),
            lambda number=number: workspace.versions.revert(note.id, number),
            lambda number=number: workspace.notes.update(note.id, body="other", expected_version=number),
            lambda number=number: workspace.search("text", limit=number),
        )
        for act in acts:
            with pytest.raises(TesseraError) as error:
                act()
            assert 20 < len(str(error.value)) < 300
    with pytest.raises(TesseraError, match="between 0"):
        workspace.search("text", score_threshold=True)


def test_a_base_has_a_name_that_a_line_can_hold(workspace: Workspace) -> None:
    base = workspace.bases.add("x" * 200).name
    for name in ("a\0b", "a\nb", "\x1b]0;x\x07", "\x9b31m", "x" * 201):
        with pytest.raises(ConfigError, match="Type a"):
            workspace.bases.add(name)
        with pytest.raises(ConfigError, match="Type a"):
            workspace.bases.rename(base, name)


def test_a_choice_that_is_no_text_is_refused(workspace: Workspace) -> None:
    workspace.bases.add("desk")
    for value in (5, 0.5, float("nan")):
        with pytest.raises(UnknownChoice):
            workspace.bases.update("desk", search=SearchSettings(mode=value))  # type: ignore[arg-type]
