"""Work of Streamlit before the first page that this app doesn't need."""

import streamlit

_KNOWN = "1.67."
"""The releases of Streamlit whose inner names are known; any other is left as it is, and starts slower."""


def leave_out() -> None:
    """Skip that work; it takes more processor time than the pages themselves."""
    if not streamlit.__version__.startswith(_KNOWN):
        return
    from streamlit import delta_generator, string_util
    from streamlit.components.v2.bidi_component import serialization
    from streamlit.components.v2.component_manager import BidiComponentManager
    from streamlit.elements.widgets import text_widgets

    parts: tuple[tuple[object, str, object], ...] = (
        # The components of installed packages: every package is looked through.
        (BidiComponentManager, "discover_and_register_components", lambda _manager, **_options: None),
        # Data frames among the data of components: pandas is imported to tell.
        (serialization, "is_dataframe_like", lambda _value: False),
        # Durations in any words: pandas is imported to read them. Those of the app are milliseconds.
        (text_widgets, "time_to_seconds", lambda text: float(text.removesuffix("ms")) / 1000),
        # Emojis as icons of options: a pattern of all of them is compiled for the first text that isn't ASCII.
        (string_util, "extract_leading_emoji", lambda text: ("", text)),
        # A hint for those who run a page without Streamlit: the files of all modules are resolved to tell.
        (delta_generator, "_use_warning_has_been_displayed", True),
    )
    for owner, name, stand_in in parts:
        setattr(owner, name, stand_in)
