"""The bases on the settings page: their embedder and a change of it, their token bits, what waits to be embedded."""

from collections.abc import Sequence

import streamlit as st

from core.model import BaseStatus, KnowledgeBase, ModelCard, Progress, Status, SwitchCost
from core.workspace import Workspace
from pages.ui.settings import basesearch
from pages.ui.shared import jobs, pending, sizes, times
from pages.ui.shared.safe import html, plain
from pages.ui.shared.text import t, t_plural


def section(workspace: Workspace, status: Status, models: Sequence[ModelCard]) -> None:
    """Draw a card for every base, below the work on them that is under way."""
    jobs.panel(workspace, (*jobs.BASES, "embed"))
    if not status.bases:
        st.info(t("There are no notes yet. Import a folder on the Notes page."), icon=":material/description:")
    for base in status.bases:
        with st.container(border=True, key=f"of_base_{base.base.id}"):
            _base(workspace, base, [model for model in models if model.part == "embedder"])


def _base(workspace: Workspace, status: BaseStatus, models: Sequence[ModelCard]) -> None:
    base = status.base
    facts = [
        t("Model {name}", name=base.embedder),
        t_plural("{n} note", "{n} notes", n=status.notes),
        t_plural("{n} chunk", "{n} chunks", n=status.chunks),
    ]
    told = "".join(f"<span>{html(fact)}</span>" for fact in facts)
    st.html(f'<div class="t-name">{html(base.name)}</div><div class="t-facts">{told}</div>')
    with st.container(horizontal=True, vertical_alignment="center"):
        pending.at_once(workspace, base)
        if status.pending:
            pending.embed_all(workspace, base, status.pending)
        _tokens(workspace, status, next((model for model in models if model.name == base.embedder), None))
    basesearch.section(workspace, base)
    if status.switch:
        _begun(workspace, status)
    else:
        with st.expander(t("Change the model"), icon=":material/swap_horiz:", key=f"switching_{base.id}"):
            _change(workspace, base, models)


def _tokens(workspace: Workspace, status: BaseStatus, model: ModelCard | None) -> None:
    """Draw whether the base keeps its token bits, what they take, and what is missing of them."""
    base = status.base
    tells = model is None or model.has_token_vectors
    kept = base.keep_tokens and tells
    key = f"tokens_{base.id}_{kept}"

    def keep_them(keep: bool) -> None:
        workspace.jobs.start("tokens", lambda progress: workspace.bases.keep_tokens(base.name, keep, progress=progress))

    shut = not tells or jobs.writing(workspace) or workspace.jobs.running(*jobs.BASES)
    st.toggle(
        t("Keep word-by-word data"),
        value=kept,
        key=key,
        on_change=lambda: keep_them(bool(st.session_state[key])),
        disabled=shut,
        help=t(
            "On: the word-by-word check takes milliseconds, and about 50 bytes per token on disk. Off: the data "
            "is deleted, and every check reads the chunks again. To turn it on again, Tessera reads the whole "
            "base once."
        ),
    )
    share = status.with_bits / status.windows if status.windows else 0.0
    state = (
        t("{share:.0%} of the base, {size}", share=share, size=sizes.megabytes(status.bit_bytes))
        if tells
        else t("This model has no data for the word-by-word check.")
    )
    st.caption(state, width="content")
    missing = status.windows - status.with_bits
    if kept and missing > 0:
        st.button(
            t("Add what is missing"),
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
        state, icon = (
            t(
                "Changing to {embedder}, begun {at}. Until it is done, {old} answers.",
                embedder=switch.embedder,
                old=base.embedder,
                at=at,
            ),
            "hourglass_top",
        )
    else:
        state, icon = (
            t(
                "The change to {embedder}, begun {at}, isn't complete. Until it is, {old} answers.",
                embedder=switch.embedder,
                old=base.embedder,
                at=at,
            ),
            "pause_circle",
        )
    st.info(plain(state), icon=f":material/{icon}:")
    with st.container(horizontal=True):
        if st.button(
            t("Resume"),
            key=f"resume_{base.id}",
            type="primary",
            icon=":material/play_arrow:",
            disabled=workspace.readonly or running,
        ):
            jobs.start(workspace, "switch", lambda progress: _run(workspace, base, progress))
        if st.button(
            t("Give up the change"),
            key=f"abandon_{base.id}",
            icon=":material/undo:",
            disabled=workspace.readonly or running,
            help=plain(t("The base keeps its model; what was indexed for the other one is deleted.")),
        ):
            workspace.bases.abandon_switch(base.name)
            workspace.jobs.forget("switch")
            st.rerun()


def _change(workspace: Workspace, base: KnowledgeBase, models: Sequence[ModelCard]) -> None:
    """Draw the choice of another embedder, what it would cost, and its beginning."""
    names = [model.name for model in models if not model.problem and model.name != base.embedder]
    busy = workspace.readonly or workspace.jobs.running("cost", *jobs.BASES)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        embedder = st.selectbox(
            t("New model"),
            names,
            index=None,
            key=f"switch_to_{base.id}_{base.embedder}",
            placeholder=t("Choose one, or type a name"),
            accept_new_options=True,
            help=plain(t("A name such as sentence:BAAI/bge-m3, sentence:/path/to/folder or openai_compatible:MODEL")),
        )
        asked = st.button(
            t("How long will it take?"),
            key=f"cost_{base.id}",
            icon=":material/calculate:",
            disabled=busy or not embedder,
        )
    st.caption(
        t(
            "The notes are indexed with the new model beside the old index, which answers until all is done. You "
            "can stop and continue later."
        )
    )
    if asked and embedder:
        name = embedder.strip()
        jobs.start(workspace, "cost", lambda progress: _cost(workspace, base, name, progress))
    job = workspace.jobs.get("cost")
    if job is None or job.what != base.name:
        return
    jobs.panel(workspace, ("cost",))
    if isinstance(job.result, SwitchCost) and st.button(
        t("Change to {name}", name=plain(job.result.embedder)),
        key=f"start_{base.id}",
        type="primary",
        icon=":material/play_arrow:",
        disabled=busy,
    ):
        name = job.result.embedder
        workspace.bases.begin_switch(base.name, name)
        workspace.jobs.forget("cost")
        jobs.start(workspace, "switch", lambda progress: _run(workspace, base, progress))


def _cost(workspace: Workspace, base: KnowledgeBase, embedder: str, progress: Progress) -> SwitchCost:
    return workspace.bases.switch_cost(base.name, embedder, progress=jobs.about(base.name, progress))


def _run(workspace: Workspace, base: KnowledgeBase, progress: Progress) -> None:
    workspace.bases.run_switch(base.name, progress=jobs.about(base.name, progress))
    # Until its model is known to be there, a base answers by keyword.
    workspace.models.start_warming()
