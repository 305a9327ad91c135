"""Dialogs: opened in a callback, drawn by the next run, and closed by an action or the user."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st
from streamlit.elements.lib.dialog import DialogPosition, DialogWidth

from core.base.frozen import frozen
from pages.ui.shared import shell, widgets
from pages.ui.shared.text import t


@frozen
class Dialog:
    """A dialog about a subject, which the session state holds under `key` while the dialog is open."""

    key: str

    @property
    def subject(self) -> Any:
        """The subject, None while the dialog is closed."""
        return st.session_state.get(self.key)

    def open(self, subject: object) -> None:
        """Open the dialog in the next run; for callbacks."""
        st.session_state[self.key] = subject

    def close(self) -> None:
        """Close the dialog in the next run."""
        st.session_state.pop(self.key, None)

    def draw(
        self, title: str, content: Callable[[], None], width: DialogWidth = "small", position: DialogPosition = "center"
    ) -> None:
        """Draw the dialog."""
        st.dialog(title, on_dismiss=self.close, width=width, position=position)(content)()

    def draw_with_button(
        self, label: str, key: str, icon: str, subject: object, content: Callable[[], None], **more: object
    ) -> None:
        """Draw a button that opens the dialog, and the open dialog, in a fragment of the page.

        A dialog that is open for another subject is closed.
        """

        @st.fragment
        def part() -> None:
            widgets.button(label, key, icon, on_click=partial(self.open, subject), **more)
            if self.subject == subject:
                self.draw(label, content, width="medium")
            else:
                self.close()

        part()

    def confirm(self, title: str, text: str, key: str, act: Callable[[], object]) -> None:
        """Draw the dialog as a confirmation; `act` does the deletion."""

        def content() -> None:
            st.write(text)
            with st.container(horizontal=True):
                if widgets.button(t("Delete"), f"{key}_yes", "delete", type="primary"):
                    with shell.errors():
                        act()
                        self.close()
                        st.rerun()
                if widgets.button(t("Keep"), f"{key}_no"):
                    self.close()
                    st.rerun()

        self.draw(title, content)
