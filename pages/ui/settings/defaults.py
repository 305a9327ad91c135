"""The default settings of a search, and the state of the vector index."""

from functools import partial
from typing import Any

import streamlit as st

from core.model import DEFAULTS, PARTS, Status
from core.workspace import Workspace
from pages.ui.settings import program
from pages.ui.shared import jobs, knobs, names, shell, widgets
from pages.ui.shared.safe import plain
from pages.ui.shared.text import t, t_plural, text_of

FIRST = ("mode", "limit", "reranker")
"""The settings in sight."""


def search(workspace: Workspace) -> None:
    """Draw what a search begins with where neither the question nor its base says otherwise."""
    st.caption(t("Every search begins with this, unless its base or the question has its own choice."))
    program.draw_with_file(workspace, "search", partial(_fields, workspace))


def _fields(workspace: Workspace) -> None:
    for name in FIRST:
        _part(workspace, name)
    with st.expander(t("Advanced"), icon=":material/tune:", key="search_advanced"):
        for name in PARTS:
            if name not in FIRST:
                _part(workspace, name)
    recorded = workspace.settings_file.get("search.record_uses")
    now = program.choice(workspace, recorded.key, "record_uses", workspace.uses.enabled, workspace.uses.enable)
    about = t(
        "Which notes searches find, which are opened, quoted or read by programs, and for which question. It stays in "
        "this workspace; each note shows its own figures."
    )
    st.toggle(t("Record how notes are found and used"), **now, help=about)
    program.remark(recorded)
    _clicks(workspace)


def _clicks(workspace: Workspace) -> None:
    """Draw the switch of clicks, and the button that deletes those that are recorded."""
    clicks, program_setting = workspace.clicks, workspace.settings_file.get("search.use_clicks")
    now = program.choice(workspace, program_setting.key, "use_clicks", clicks.enabled, clicks.enable)
    about = t(
        "What you open, copy or cite ranks a little higher the next time you ask something similar, and less with every "
        "month. Recorded while this is on: the note, the question, what you did and the day. It stays in this workspace."
    )
    st.toggle(t("Rank hits higher that you opened, copied or cited before"), **now, help=about)
    program.remark(program_setting)
    if count := len(clicks.all()):
        st.caption(t_plural("{n} click is recorded", "{n} clicks are recorded", n=count))
        forget = shell.guarded(clicks.forget)
        widgets.small(t("Forget all clicks"), "forget_clicks", "delete", on_click=forget, disabled=workspace.readonly)


def _part(workspace: Workspace, name: str) -> None:
    draw = partial(_reranker, workspace) if name == "reranker" else partial(knobs.draw, name)
    program.field(workspace, f"search.{name}", draw, type(getattr(DEFAULTS, name)))


def _reranker(workspace: Workspace, **more: Any) -> None:
    texts = {value: knobs.shown("reranker", value) for value in knobs.values(workspace, "reranker")}
    chosen = st.session_state[more["key"]]
    texts.setdefault(chosen, knobs.shown("reranker", chosen))
    widgets.select(knobs.setting("reranker"), texts, **more)


def index(workspace: Workspace, status: Status) -> None:
    """Draw the state of the vector index, and the button that rebuilds it."""
    chosen = workspace.settings.index
    if status.index_problem:
        problem(status)
    elif chosen.kind == "none":
        st.info(t("There is no search index: a search by meaning compares with every passage."))
    else:
        st.success(t("The search index is in order."), icon=":material/check_circle:")
        if chosen.url:
            st.caption(plain(t("It is on the Chroma server at {url}.", url=chosen.url)))
    chunks = t_plural("{n} passage", "{n} passages", n=sum(base.chunks for base in status.bases))
    size = names.megabytes(status.bytes_on_disk)
    st.caption(f"{chunks} · {plain(t('{size} on disk in {folder}', size=size, folder=str(status.folder)))}")
    if chosen.kind != "none":
        rebuild(workspace)
    jobs.panel(workspace, ("rebuild",))


def problem(status: Status) -> None:
    """Draw the problem of the vector index."""
    title = t("The search index is out of use")
    more = t("Your notes are safe, and search works without the index, only more slowly.")
    st.warning(f"**{title}** {more}", icon=":material/healing:")
    st.caption(plain(text_of(status.index_problem)))


def rebuild(workspace: Workspace) -> None:
    """Draw the button that rebuilds the vector index."""
    about = plain(t("Builds the search index again from stored data; needs no model and changes no note."))
    shut = jobs.writing(workspace) or workspace.jobs.running("switch")
    if widgets.button(t("Rebuild the index"), "rebuild", "restart_alt", disabled=shut, help=about):
        jobs.rebuild(workspace)
