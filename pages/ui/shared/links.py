"""The address of a page, in step with what is chosen on it."""

import streamlit as st


def arrived(name: str) -> str | None:
    """Return the value of `name` in the address where a link brought it, None where the page itself put it there."""
    value = st.query_params.get(name)
    return value if value is not None and value != st.session_state.get(_known(name)) else None


def known(name: str) -> str:
    """Return the value that this page last put into the address for `name`."""
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
    # Each page remembers its own: several pages have a note in their address.
    return f"address_{st.session_state['page']}_{name}"
