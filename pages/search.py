"""The Search page, which shows a question's hits and why they were found."""

import streamlit as st

from pages.ui.search import answer, question_box, threads
from pages.ui.shared.names import base_names
from pages.ui.shared.text import page_title
from pages.ui.shared.widgets import errors

with st.container(key="hidden_title"):
    page_title("Search")

bases = base_names()
text, options = question_box.row(bases)
if thread := threads.shown_thread():
    threads.draw(thread)
elif not bases:
    question_box.draw_start()
elif text is None:
    question_box.start()
else:
    with errors(), question_box.problems(text):
        answer.draw(text, options, several=len(bases) > 1)
