"""The main script: draw the app's frame, and run the page given in the address."""

import streamlit as st

from pages.ui.notes import composer
from pages.ui.shared import shell
from pages.ui.shared.widgets import announce, errors, forget_presses

page = shell.start()
with st.sidebar:
    composer.listen()
    announce()
with shell.unreadable(), errors():
    page.run()
forget_presses()
