"""Search: a question, the hits, and why they are there."""

import streamlit as st

from pages.ui import asking, found, shell
from pages.ui.text import t

workspace = shell.start("search")
st.title(t("menu.search"))

bases = [base.name for base in workspace.bases()]
text, options = asking.row(workspace, bases)
if not bases:
    asking.nothing_yet()
elif text is None:
    asking.examples("sample" in bases)
else:
    with shell.errors(), asking.problems(text, options):
        found.draw(workspace, text, options, several=len(bases) > 1)
