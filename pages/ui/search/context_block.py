"""What was found as a block for a prompt: to be copied, or kept as a file."""

import streamlit as st

from core.model import Context, SearchOptions
from core.workspace import Workspace
from pages.ui.shared import shell
from pages.ui.shared.safe import html
from pages.ui.shared.text import t, t_plural

BUDGETS = (500, 1000, 2000, 4000, 8000, 16_000)


def section(workspace: Workspace, text: str, options: SearchOptions) -> None:
    """Draw the context of a question; it is built when this is opened."""

    @st.fragment
    def part() -> None:
        box = st.expander(t("Context for a prompt"), icon=":material/article:", key="context_box", on_change="rerun")
        if box.open:
            with box, shell.errors():
                _inside(workspace, text, options)

    part()


def _inside(workspace: Workspace, text: str, options: SearchOptions) -> None:
    set_to = workspace.settings.search.context_tokens
    st.session_state.setdefault("context_budget", set_to)
    budget = st.select_slider(
        t("Budget in tokens"),
        sorted({*BUDGETS, set_to}),
        format_func=lambda tokens: f"{tokens:,}",
        key="context_budget",
        persist_state="session",
    )
    found = workspace.context(text, budget=budget, **options)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="t-facts">{"".join(f"<span>{html(fact)}</span>" for fact in _facts(found))}</div>')
        st.download_button(
            t("Download"),
            found.text,
            file_name="context.md",
            mime="text/markdown",
            key="context_download",
            icon=":material/download:",
            on_click="ignore",
            disabled=not found.text,
        )
    st.code(found.text, language=None, wrap_lines=True, height=min(420, 80 + 24 * found.text.count("\n")))


def _facts(found: Context) -> list[str]:
    facts = [
        t("{n} of {budget} tokens", n=found.tokens, budget=found.budget),
        t_plural("{n} passage", "{n} passages", n=len(found.citations)),
    ]
    return (
        [*facts, t_plural("{n} left out, over the budget", "{n} left out, over the budget", n=found.left_out)]
        if found.left_out
        else facts
    )
