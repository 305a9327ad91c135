"""What a page's address says, kept in step with what is chosen on it."""

import streamlit as st


def arrived(name: str) -> str | None:
    """Return what the address says of `name` where that is news: a link was followed, not a widget used."""
    said = st.query_params.get(name)
    return said if said is not None and said != st.session_state.get(_known(name)) else None


def known(name: str) -> str:
    """Return what this page last said of `name`."""
    return str(st.session_state.get(_known(name), ""))


def say(name: str, value: str) -> None:
    """Put what is chosen into the address, so that it can be shared and outlives a reload."""
    st.session_state[_known(name)] = value
    if st.query_params.get(name, "") == value:
        return
    if value:
        st.query_params[name] = value
    else:
        st.query_params.pop(name, None)


def _known(name: str) -> str:
    # Each page has a memory of its own: two of them speak of a note.
    return f"address_{st.session_state['page']}_{name}"
