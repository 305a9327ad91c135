"""What a page's address says, kept in step with what is chosen on it."""

import streamlit as st


def arrived(name: str) -> str | None:
    """Return what the address says of `name` where that is news: a link was followed, not a widget used."""
    said = st.query_params.get(name)
    return said if said is not None and said != st.session_state.get(f"address_{name}") else None


def say(name: str, value: str) -> None:
    """Put what is chosen into the address, so that it can be shared and outlives a reload."""
    st.session_state[f"address_{name}"] = value
    if st.query_params.get(name, "") == value:
        return
    if value:
        st.query_params[name] = value
    else:
        st.query_params.pop(name, None)
