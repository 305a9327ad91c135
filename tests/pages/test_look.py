import tomllib
from pathlib import Path

import pytest
from streamlit import config

from tests.pages.conftest import Screen

THEMES = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]


def test_the_chosen_look_is_sent_to_the_browser_and_remembered() -> None:
    screen = Screen()
    assert config.get_option("theme.base") is None
    screen.app.segmented_control("look_switch").set_value("dark").run()
    assert config.get_option("theme.base") == "dark"
    assert config.get_option("theme.backgroundColor") == THEMES["dark"]["backgroundColor"]
    assert config.get_option("theme.sidebar.backgroundColor") == THEMES["dark"]["sidebar"]["backgroundColor"]
    assert not any(config.get_options_for_section("theme.light").values())
    again = Screen().open("settings")
    assert again.app.segmented_control("settings_look").value == "dark"
    again.app.segmented_control("settings_look").set_value("system").run()
    assert config.get_option("theme.base") is None
    assert config.get_option("theme.light.backgroundColor") == THEMES["light"]["backgroundColor"]


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("look", ["light", "dark"])
def test_the_text_of_every_box_stands_out(look: str) -> None:
    theme = THEMES[look]
    pairs = [
        (theme[f"{name}TextColor"], theme[f"{name}BackgroundColor"]) for name in ("blue", "green", "yellow", "red")
    ]
    for pair in (*pairs, (theme["textColor"], theme["backgroundColor"])):
        low, high = sorted(map(luminance, pair))
        assert (high + 0.05) / (low + 0.05) >= 4.5, pair
