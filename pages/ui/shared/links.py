"""Query parameters that store a page's state, such as the open note, so that it can be linked to and reloaded."""

from collections.abc import Container

from streamlit import query_params, session_state

from core.base.frozen import TextMap
from pages.ui.shared import widgets


def arrived_value(name: str) -> str | None:
    """Return the value of a query parameter that came with a link.

    Return None if the parameter is missing or has the value last set by the page itself.
    """
    value = query_params.get(name)
    return None if value == session_state.get(_state_key(name)) else value


def begin_with(name: str, key: str, options: Container[str], first: str) -> None:
    """Set a widget's initial option to the one in the URL, or else to the last choice, or else to `first`."""
    if (linked := arrived_value(name)) in options:
        session_state[key] = linked
    widgets.begin_with(key, options, first)


def last_value(name: str) -> str:
    """Return the value that this page last set for a query parameter, or "" if it hasn't set one."""
    return str(session_state.get(_state_key(name), ""))


def set_value(name: str, value: str) -> None:
    """Set a query parameter. An empty value removes the parameter."""
    set_values({name: value})


def set_values(values: TextMap) -> None:
    """Set several query parameters in one step of the browser's history. An empty value removes a parameter."""
    session_state.update({_state_key(name): value for name, value in values.items()})
    before = query_params.to_dict()
    now = {name: value for name, value in {**before, **values}.items() if value}
    if now != before:
        query_params.from_dict(now)


def _state_key(name: str) -> str:
    # Include the page in the key, because several pages use the same parameters, such as `note`.
    return f"address_{session_state['page']}_{name}"
