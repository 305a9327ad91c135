"""The main script. It draws the app's frame, and runs the page given in the URL."""

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
    shell.draw_count()  # the page may have changed it
forget_presses()
