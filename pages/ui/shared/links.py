"""Query parameters for a page's choices, so that they can be shared as a link and survive a reload."""

from collections.abc import Container, Mapping

from streamlit import query_params, session_state


def arrived_value(name: str) -> str | None:
    """Return the value of a query parameter, or None if it is missing or was set by the page itself."""
    value = query_params.get(name)
    return value if value is not None and value != session_state.get(_state_key(name)) else None


def begin_with(name: str, key: str, options: Container[str], first: str) -> None:
    """Set a widget's initial option: the one in the URL, the last choice, or else `first`."""
    linked = arrived_value(name)
    if linked is not None and linked in options:
        session_state[key] = linked
    elif session_state.get(key) not in options:
        session_state[key] = first


def last_value(name: str) -> str:
    """Return the value this page last set for a query parameter."""
    return str(session_state.get(_state_key(name), ""))


def set_value(name: str, value: str) -> None:
    """Set a query parameter."""
    set_values({name: value})


def set_values(values: Mapping[str, str]) -> None:
    """Set query parameters as one step in the browser's history. An empty value removes the parameter."""
    session_state.update({_state_key(name): value for name, value in values.items()})
    before = query_params.to_dict()
    now = {name: value for name, value in {**before, **values}.items() if value}
    if now != before:
        query_params.from_dict(now)


def _state_key(name: str) -> str:
    # One key per page, because several pages have a note in their URL.
    return f"address_{session_state['page']}_{name}"
