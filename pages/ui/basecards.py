"""The bases on the settings page: their embedder and a change of it, their token bits, what waits to be embedded."""

from collections.abc import Sequence

import streamlit as st

from core.model import KnowledgeBase, Progress
from core.workspace import BaseStatus, ModelCard, Status, SwitchCost, Workspace
from pages.ui import basesearch, sizes, times, waiting, work
from pages.ui.safe import html, plain
from pages.ui.text import t


def section(workspace: Workspace, status: Status, models: Sequence[ModelCard]) -> None:
    """Draw a card for every base, below the work on them that is under way."""
    work.panel(workspace, (*work.BASES, "embed"))
    if not status.bases:
        st.info(t("notes.none"), icon=":material/description:")
    for base in status.bases:
        with st.container(border=True, key=f"of_base_{base.base.id}"):
            _base(workspace, base, [model for model in models if model.part == "embedder"])


def _base(workspace: Workspace, status: BaseStatus, models: Sequence[ModelCard]) -> None:
    base = status.base
    facts = [
        t("home.model", name=base.embedder),
        t("models.dimension", n=base.dimension),
        t("n.notes", n=status.notes),
        t("n.chunks", n=status.chunks),
        t("settings.windows", n=status.windows),
    ]
    told = "".join(f"<span>{html(fact)}</span>" for fact in facts)
    st.html(f'<div class="t-name">{html(base.name)}</div><div class="t-facts">{told}</div>')
    with st.container(horizontal=True, vertical_alignment="center"):
        waiting.at_once(workspace, base)
        if status.pending:
            waiting.embed_all(workspace, base, status.pending)
        _tokens(workspace, status, next((model for model in models if model.name == base.embedder), None))
    basesearch.section(workspace, base)
    if status.switch:
        _begun(workspace, status)
    else:
        with st.expander(t("switch"), icon=":material/swap_horiz:", key=f"switching_{base.id}"):
            _change(workspace, base, models)


def _tokens(workspace: Workspace, status: BaseStatus, model: ModelCard | None) -> None:
    """Draw whether the base keeps its token bits, what they take, and what is missing of them."""
    base = status.base
    tells = model is None or model.tells_tokens
    kept = base.keep_tokens and tells
    key = f"tokens_{base.id}_{kept}"

    def keep_them(keep: bool) -> None:
        workspace.jobs.start("tokens", lambda progress: workspace.keep_tokens(base.name, keep, progress=progress))

    shut = not tells or work.writing(workspace) or workspace.jobs.running(*work.BASES)
    st.toggle(
        t("tokens.keep"),
        value=kept,
        key=key,
        on_change=lambda: keep_them(bool(st.session_state[key])),
        disabled=shut,
        help=t("tokens.keep.help"),
    )
    said = t("tokens.kept", n=status.with_bits, windows=status.windows, size=sizes.megabytes(status.bit_bytes))
    st.caption(said if tells else t("tokens.none"), width="content")
    missing = status.windows - status.with_bits
    if kept and missing > 0:
        st.button(
            t("tokens.missing", n=missing),
            key=f"bits_{base.id}",
            icon=":material/bolt:",
            on_click=keep_them,
            args=(True,),
            disabled=shut,
        )


def _begun(workspace: Workspace, status: BaseStatus) -> None:
    """Draw a change of embedder that was begun: it can be resumed and abandoned."""
    base, switch = status.base, status.switch
    if switch is None:
        return
    job = workspace.jobs.get("switch")
    running = job is not None and job.state == "running"
    at = times.local(switch.started_at)
    if job and running and job.what == base.name:
        said, icon = t("switch.running", embedder=switch.embedder, old=base.embedder, at=at), "hourglass_top"
    else:
        said, icon = t("switch.begun", embedder=switch.embedder, old=base.embedder, at=at), "pause_circle"
    st.info(plain(said), icon=f":material/{icon}:")
    with st.container(horizontal=True):
        if st.button(
            t("switch.resume"),
            key=f"resume_{base.id}",
            type="primary",
            icon=":material/play_arrow:",
            disabled=workspace.readonly or running,
        ):
            work.start(workspace, "switch", lambda progress: _run(workspace, base, progress))
        if st.button(
            t("switch.abandon"),
            key=f"abandon_{base.id}",
            icon=":material/undo:",
            disabled=workspace.readonly or running,
            help=plain(t("switch.abandon.help")),
        ):
            workspace.abandon_switch(base.name)
            workspace.jobs.forget("switch")
            st.rerun()


def _change(workspace: Workspace, base: KnowledgeBase, models: Sequence[ModelCard]) -> None:
    """Draw the choice of another embedder, what it would cost, and its beginning."""
    names = [model.name for model in models if not model.problem and model.name != base.embedder]
    busy = workspace.readonly or workspace.jobs.running("cost", *work.BASES)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        embedder = st.selectbox(
            t("switch.to"),
            names,
            index=None,
            key=f"switch_to_{base.id}_{base.embedder}",
            placeholder=t("switch.placeholder"),
            accept_new_options=True,
            help=plain(t("switch.help")),
        )
        asked = st.button(
            t("switch.cost"),
            key=f"cost_{base.id}",
            icon=":material/calculate:",
            disabled=busy or not embedder,
        )
    st.caption(t("switch.more"))
    if asked and embedder:
        name = embedder.strip()
        work.start(workspace, "cost", lambda progress: _cost(workspace, base, name, progress))
    job = workspace.jobs.get("cost")
    if job is None or job.what != base.name:
        return
    work.panel(workspace, ("cost",))
    if isinstance(job.result, SwitchCost) and st.button(
        t("switch.start", name=plain(job.result.embedder)),
        key=f"start_{base.id}",
        type="primary",
        icon=":material/play_arrow:",
        disabled=busy,
    ):
        name = job.result.embedder
        workspace.begin_switch(base.name, name)
        workspace.jobs.forget("cost")
        work.start(workspace, "switch", lambda progress: _run(workspace, base, progress))


def _cost(workspace: Workspace, base: KnowledgeBase, embedder: str, progress: Progress) -> SwitchCost:
    return workspace.switch_cost(base.name, embedder, progress=work.about(base.name, progress))


def _run(workspace: Workspace, base: KnowledgeBase, progress: Progress) -> None:
    workspace.run_switch(base.name, progress=work.about(base.name, progress))
    # Until its model is known to be there, a base answers by keyword.
    workspace.start_warming()
