"""The main script: the frame of the app around the page in the address."""

import streamlit as st

from pages.ui.notes import composer
from pages.ui.shared import shell, widgets

page = shell.start()
with st.sidebar:
    composer.listen()
    widgets.announce()
with shell.unreadable(), shell.errors():
    page.run()
widgets.forget_presses()
