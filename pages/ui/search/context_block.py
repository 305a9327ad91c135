"""The hits as a block for a prompt, to copy or to download."""

from functools import partial

import streamlit as st

from core.model import Prepared
from core.workspace import Workspace
from pages.ui.shared import shell, widgets
from pages.ui.shared.safe import facts
from pages.ui.shared.text import t, t_plural

BUDGETS = (500, 1000, 2000, 4000, 8000, 16_000)


def section(workspace: Workspace, prepared: Prepared) -> None:
    """Draw the context of a question."""
    about = t("The passages as one text to paste into a prompt, with their sources")
    inside = partial(_inside, workspace, prepared)
    shell.popover(t("Context"), "context_box", "content_copy", inside, type="tertiary", help=about)


def _inside(workspace: Workspace, prepared: Prepared) -> None:
    with st.container(key="context_body"):
        _body(workspace, prepared)


def _body(workspace: Workspace, prepared: Prepared) -> None:
    default = workspace.settings.search.context_tokens
    st.session_state.setdefault("context_budget", default)
    budget = st.select_slider(
        t("Length in tokens, at most"),
        sorted({*BUDGETS, default}),
        format_func="{:,}".format,
        key="context_budget",
        persist_state="session",
    )
    context = workspace.searching.context(prepared, budget)
    if not context.confident:
        st.caption(t("Nothing close. The nearest:"))
    texts = [
        t("{n} of {budget} tokens", n=context.tokens, budget=context.budget),
        t_plural("{n} passage", "{n} passages", n=len(context.citations)),
    ]
    if count := context.left_out:
        texts.append(t_plural("{n} left out: no room", "{n} left out: no room", n=count))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(facts(texts))
        file = (context.text, "context.md", "text/markdown")
        widgets.download(t("Download"), *file, "context_download", "download", disabled=not context.text)
    st.code(context.text, language=None, wrap_lines=True, height=min(420, 80 + 24 * context.text.count("\n")))
