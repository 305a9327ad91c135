"""The display language and the theme. By default, they are the browser's language and the system's theme."""

from functools import cache, partial

import streamlit as st
from streamlit import config, session_state

from core.base.frozen import Values
from core.base.messages import LANGUAGES, language_of, message_table
from core.workspace import Workspace
from pages.ui.shared import server
from pages.ui.shared.widgets import bound, component, segments

# The display language: the user's choice, or the browser's language by default.


def settle_language(workspace: Workspace | None) -> None:
    """Set the language of a new session to the user's choice, or to the browser's language."""
    if session_state.get("language") not in LANGUAGES:
        preference = workspace.preferences.get("language") if workspace else ""
        session_state["language"] = language_of(preference or st.context.locale or "")


def choose_language(key: str, **more: object) -> None:
    """Draw the language selector. The choice is remembered for later sessions."""

    def store(language: str) -> None:
        session_state["language"] = language
        server.workspace.preferences.set("language", language)

    # The selector has its own key, because Streamlit clears a widget's key when the user leaves the page.
    segments("Language", LANGUAGES, **bound(key, session_state["language"], store), **more)


LOOKS = message_table({"light": "Light", "dark": "Dark", "system": "System"})
SYSTEM = "system"

_PREFERENCE = "look"

# Until a new page receives the server's theme, Streamlit uses the theme in the browser's storage. Our theme is stored
# there only between two pages. At any other time, Streamlit would treat it as a choice made in its own menu.
_START = component("look_at_start", __file__, "<i></i>")


def settle_look(workspace: Workspace | None) -> None:
    """Apply the chosen theme, and redraw the page if the theme has changed."""
    look = _chosen(workspace)
    if config.get_option("theme.base") == (None if look == SYSTEM else look):
        return
    for section, options in _options(look).items():
        for name, value in options.items():
            config.set_option(f"{section}.{name}", value)
    st.rerun()


def choose_look(key: str, **more: object) -> None:
    """Draw the theme selector. The choice is remembered for later sessions."""
    store = partial(server.workspace.preferences.set, _PREFERENCE)
    segments("Appearance", LOOKS, **bound(key, _chosen(server.workspace), store), **more)


def hand_over(workspace: Workspace | None) -> None:
    """Draw the component that stores the theme in the browser for the next page load."""
    look = _chosen(workspace)
    with st.container(key="look"):
        _START(key="look_at_start", data={"look": "" if look == SYSTEM else look.capitalize()})


def _chosen(workspace: Workspace | None) -> str:
    look = workspace.preferences.get(_PREFERENCE) if workspace else ""
    return look if look in LOOKS else SYSTEM


def _options(look: str) -> dict[str, Values]:
    """Return Streamlit's theme options by section. If `look` is "light" or "dark", its options apply to all themes."""
    options = {section: dict(values) for section, values in _configured().items()}
    if look == SYSTEM:
        return options
    for part in ("", ".sidebar"):
        chosen = options[f"theme.{look}{part}"]
        options[f"theme{part}"] |= {name: value for name, value in chosen.items() if value is not None}
        for other in ("light", "dark"):
            options[f"theme.{other}{part}"] = dict.fromkeys(chosen)
    options["theme"]["base"] = look
    return options


@cache
def _configured() -> dict[str, Values]:
    return {
        name: config.get_options_for_section(name)
        for theme in ("theme", "theme.light", "theme.dark")
        for name in (theme, f"{theme}.sidebar")
    }
