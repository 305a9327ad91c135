"""The tour: from page to page on the sample notes, offered until it was taken or refused."""

import pytest

from pages.ui.shared import welcome
from tests.pages.conftest import Screen


@pytest.fixture
def sampled(place: object) -> Screen:
    screen = Screen()
    assert not _has(screen, "tour_begin")
    return screen.press("try").finish()


def _has(screen: Screen, key: str) -> bool:
    return any(button.key == key for button in screen.app.button)


def test_the_tour_leads_through_its_pages_and_is_not_offered_again(sampled: Screen) -> None:
    sampled.press("tour_begin")
    for number, step in enumerate(welcome.STEPS, 1):
        assert sampled.app.session_state["page"] == step.page
        assert f"Tour, step {number} of 5: {step.title}" in sampled.text
        assert (step.note == "") == ("note" not in sampled.app.query_params)
        assert not step.note or "".join(sampled.app.query_params["note"])
        sampled.press("tour_next")
    assert not _has(sampled, "tour_next")
    assert not _has(Screen(), "tour_begin")
    assert _has(sampled.open("help"), "tour_begin")


def test_the_tour_waits_on_other_pages_and_goes_back(sampled: Screen) -> None:
    assert not _has(sampled.press("tour_begin"), "tour_back")
    sampled.press("tour_next").press("tour_next")
    assert "Tour, step 2 of 5" in sampled.press("tour_back").text
    assert "Tour, step 2 of 5" in sampled.open("home").text
    assert not _has(sampled, "tour_back")
    assert sampled.press("tour_next").app.session_state["page"] == "search"
    sampled.press("tour_end")
    assert "Tour, step" not in sampled.open("home").text
    assert not _has(sampled, "tour_begin")


def test_the_tour_ends_where_its_last_page_is_left(sampled: Screen) -> None:
    sampled.press("tour_begin")
    for _ in welcome.STEPS[1:]:
        sampled.press("tour_next")
    assert "Tour, step" not in sampled.open("home").text
    assert not _has(sampled, "tour_begin")


def test_a_tour_that_is_refused_is_not_offered_again(sampled: Screen) -> None:
    sampled.press("tour_refuse")
    assert not _has(sampled, "tour_begin")
    assert not _has(Screen(), "tour_begin")


def test_a_tour_that_is_refused_stays_away_where_no_choice_can_be_stored(
    sampled: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampled.workspace.preferences, "set", lambda _name, _value: None)
    sampled.press("tour_refuse")
    assert not _has(sampled.open("search").open("home"), "tour_refuse")
    assert _has(sampled.open("help").press("tour_begin"), "tour_next")
