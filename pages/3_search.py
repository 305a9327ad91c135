"""Search: a question, the hits, and why they are there."""

import streamlit as st

from pages.ui import asking, cards, shell
from pages.ui.text import t

workspace = shell.start("search")
st.title(t("menu.search"))

bases = [base.name for base in workspace.bases()]
text = asking.question()
options = asking.options(workspace, bases)
if not bases:
    asking.nothing_yet()
elif text is None:
    asking.examples("sample" in bases)
else:
    with shell.errors():
        result = workspace.search(text, **options.arguments, wait=False)
        asking.summary(workspace, result)
        words, extremes = workspace.words(text), cards.ranges(result.hits)
        for hit in result.hits:
            cards.hit(hit, words, extremes, base=len(bases) > 1)
        if not result.hits:
            asking.no_hits(result, options)
