"""What a screen reader announces: how many hits there are, and the end of a job; errors are alerts already."""

from pages.ui.shared.component import component

PLACES = (".st-key-chips [data-testid='stCaptionContainer'] p", ".t-done b")
"""Selectors of texts that are read aloud when they appear or change."""

ALOUD = component("aloud", __file__)


def listen() -> None:
    """Have the texts of these places read aloud from now on."""
    ALOUD(key="aloud", data={"places": PLACES})
