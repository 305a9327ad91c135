"""The parts of the home page."""

import streamlit as st

from core.workspace import BaseStatus, Status, Workspace
from pages.ui import look, plans, settings, sizes, times, work
from pages.ui.safe import html, plain
from pages.ui.text import t

COLUMNS = 3


def welcome(workspace: Workspace) -> None:
    """Say what Tessera is to a person who has no notes in it yet, and offer the two ways to begin."""
    st.title("Tessera")
    st.html(f'<p class="t-lead">{html(t("home.lead"))}</p>')
    busy = work.importing(workspace)
    with st.container(horizontal=True):
        if st.button(
            t("home.try"), key="try", type="primary", icon=":material/play_arrow:", disabled=busy or workspace.readonly
        ):
            work.start_samples(workspace)
            st.rerun()
        if st.button(
            t("home.import"), key="to_import", icon=":material/folder_open:", disabled=busy or workspace.readonly
        ):
            st.switch_page("pages/1_notes.py")
    st.space("small")
    for column, (name, tile) in zip(
        st.columns(3, gap="large"), zip(("cut", "find", "offline"), look.TILES, strict=False), strict=True
    ):
        title, more = html(t(f"home.point.{name}")), html(t(f"home.point.{name}.more"))
        column.html(
            f'<div class="t-point" style="--tile: {tile}"><b>{title}</b><span class="t-dim">{more}</span></div>'
        )


def quick_search() -> None:
    """Draw the search box; its question is answered on the search page."""
    with st.form("quick", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            t("home.search"), key="quick_q", placeholder=t("home.search"), label_visibility="collapsed"
        )
        asked = st.form_submit_button(t("search.go"), type="primary", icon=":material/search:")
    if asked and text.strip():
        st.switch_page("pages/3_search.py", query_params={"q": text})


def attention(workspace: Workspace, status: Status) -> None:
    """Draw what a person should look at; nothing where all is well."""
    failures = {base.base.name: failed for base in status.bases if (failed := workspace.failures(base.base))}
    if not failures and not status.index_problem:
        return
    st.subheader(t("home.attention"))
    if status.index_problem:
        settings.problem(status)
        settings.rebuild(workspace)
    for name, failed in failures.items():
        with st.expander(plain(t("home.failed", n=len(failed), base=name)), icon=":material/warning:"):
            plans.listing(plans.failed(failed))


def bases(workspace: Workspace, status: Status) -> None:
    """Draw a card for every base, and where all of it is kept."""
    for first in range(0, len(status.bases), COLUMNS):
        for column, base in zip(st.columns(COLUMNS), status.bases[first : first + COLUMNS], strict=False):
            with column.container(border=True, key=f"base_{base.base.id}"):
                _base(base)
    st.caption(t("home.disk", size=sizes.megabytes(status.bytes_on_disk), folder=plain(str(status.folder))))


def _base(status: BaseStatus) -> None:
    base = status.base
    facts = [
        f"{t('n.notes', n=status.notes)} · {t('n.chunks', n=status.chunks)}",
        t("home.synced", at=times.local(base.synced_at) if base.synced_at else t("never")),
        t("home.model", name=base.embedder),
        *(folder for folder, _ in status.folders[:3] if folder != "upload"),
    ]
    lines = "".join(f'<div class="t-facts">{html(fact)}</div>' for fact in facts)
    st.html(f'<div class="t-name">{html(base.name)}</div>{lines}')
    st.page_link(
        "pages/1_notes.py", label=t("home.open"), icon=":material/description:", query_params={"base": base.name}
    )
