"""Changing a base's model or its splitting parameters, with a cost estimate and a preview."""

from collections.abc import Sequence
from functools import partial

import streamlit as st
from streamlit import container, rerun

from core.model import (
    CALENDAR_BEGINS,
    BaseStatus,
    ChangeCost,
    ChunkingOptions,
    Filters,
    KnowledgeBase,
    ModelCard,
    Progress,
    Switch,
    embedder_name,
)
from pages.ui.chunks import bands, summary
from pages.ui.shared import jobs, knobs
from pages.ui.shared.jobs import BASES, WRITING, hindrance, start_job
from pages.ui.shared.names import local, megabytes
from pages.ui.shared.safe import plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t
from pages.ui.shared.widgets import button, caption, errors, expander, frame, group_title, row, select

# A base's splitting parameters, with a preview of one note and the estimated cost of a change.

OFFERED = 50


def draw_splitting(base: KnowledgeBase) -> None:
    """Show a base's splitting parameters with a preview.

    The user has to estimate the cost of a change before applying it. Text files are always split into lines.
    """
    if base.plain:
        small_print("Each line of a text file is searched separately. Blank lines are left out.")
        return
    with errors():
        left, right = st.columns([5, 6], gap="large")
        with left:
            tried = knobs.choose(f"base_{base.id}", base.chunking, base.chunking)
            _apply(base, tried)
        with right:
            preview(tried, base.embedder, base.name)


def _apply(base: KnowledgeBase, tried: ChunkingOptions) -> None:
    if tried == base.chunking:
        small_print("Move a slider to try another split. Nothing changes until you apply it.")
        return
    why = hindrance(base=base.name)
    if button("How long will it take?", f"split_cost_{base.id}", "calculate", disabled=why):
        start_job(
            "cost",
            lambda progress: workspace.bases.chunking_cost(
                base.name, tried, progress=jobs.about(_subject(base), progress)
            ),
        )
    job = workspace.jobs.find("cost")
    if job and isinstance(job.result, ChangeCost) and job.result.chunking != tried:
        return  # a slider was moved after the estimate
    if jobs.estimate(_subject(base)) and button(
        "Split the base this way", f"split_{base.id}", "done_all", type="primary", disabled=why
    ):
        workspace.jobs.forget("cost")
        start_job("rechunk", lambda progress: workspace.chunks.rechunk(base.name, options=tried, progress=progress))


def _subject(base: KnowledgeBase) -> str:
    """Return the subject of the `cost` job for a splitting change. A model change uses another subject."""
    return f"{base.name} · {t('Splitting')}"


def preview(options: ChunkingOptions, embedder: str, base: str = "") -> None:
    """Draw a preview of how a note would be split with `options`.

    The user chooses a note from `base`, or from all bases if `base` is "". If there are no notes, use a sample note.
    """
    if cards := workspace.notes.all(Filters(bases=(base,)) if base else None):
        latest = sorted(cards, key=lambda card: card.updated_at or CALENDAR_BEGINS, reverse=True)[:OFFERED]
        note = workspace.notes.get(
            select("Note to preview", {card.id: card.title for card in latest}, f"split_note_{base}")
        )
        cut = summary.cut(note, options, embedder)
    else:
        largest = max(jobs.SAMPLES.rglob("*.md"), key=lambda file: file.stat().st_size)
        drawn = workspace.imports.preview(largest, options, embedder)
        if drawn is None:
            return
        note, cut = drawn
    summary.figures(cut.chunks)
    if cut.chunks:
        with container(height=420, border=False, key="split_preview"):
            bands.draw(note, cut.chunks, {}, None, key="bands_base", on_pick=lambda _: None)
    with expander("Why this split", "", "why_split"):
        summary.why(cut)


def draw_model(status: BaseStatus) -> None:
    """Draw the toggle for keeping a base's reranking data, and the controls for changing its model."""
    base = status.base
    models = [card for card in workspace.models.all() if card.part == "embedder"]
    if base.has_vectors:
        with row():
            _tokens(status, next((model for model in models if model.name == base.embedder), None))
    else:
        small_print("This base is searched by keyword only. With a model, its notes can be found by meaning, too.")
    if status.switch:
        _draw_switch(base, status.switch)
    else:
        if base.wish:
            _draw_archived_model(base)
        group_title("Change the model")
        _change(base, models)
        if base.has_vectors and button(
            "Index all notes again",
            f"again_{base.id}",
            "restart_alt",
            disabled=hindrance(*WRITING, "embed", *BASES, base=base.name),
            help=(
                "Use this for a model that changed but kept its name, such as an updated one on a server. Until "
                "indexing is finished, notes are found by keyword only."
            ),
        ):
            start_job("embed", lambda progress: workspace.pending.embed_again(base.name, progress))


def _tokens(status: BaseStatus, model: ModelCard | None) -> None:
    """Draw the toggle for keeping the base's reranking data (token bits), with its size.

    If some of the data is missing, draw a button that computes it.
    """
    base = status.base
    possible = model is None or model.has_token_vectors
    on = base.keep_tokens and possible
    key = f"tokens_{base.id}_{on}"

    def keep_them(keep: bool) -> None:
        workspace.jobs.start("tokens", lambda progress: workspace.bases.keep_tokens(base.name, keep, progress=progress))

    why = hindrance(*WRITING, *BASES)
    st.toggle(
        t("Keep data for fast reranking"),
        value=on,
        key=key,
        on_change=lambda: keep_them(bool(st.session_state[key])),
        disabled=bool(why) or not possible,
        help=why
        or t(
            "If this is on, fast reranking takes milliseconds, but its data takes up about ten times the disk space "
            "of the notes. If you turn it off, the data is deleted and the passages are read again for each search. "
            "To turn it on again, Tessera reads the whole base once."
        ),
    )
    st.caption(
        t(
            "Data for {share:.0%} of the base, {size}",
            share=status.with_bits / status.windows if status.windows else 0.0,
            size=megabytes(status.bit_bytes),
        )
        if possible
        else t("This model can't be used for fast reranking."),
        width="content",
    )
    if on and status.with_bits < status.windows:
        button("Add missing data", f"bits_{base.id}", "bolt", partial(keep_them, keep=True), disabled=why)


def _draw_switch(base: KnowledgeBase, switch: Switch) -> None:
    """Say that the switch of a base to another embedder isn't finished, with buttons that resume or cancel it."""
    job = workspace.jobs.find("switch")
    fields = {
        "embedder": embedder_name(switch.embedder),
        "old": embedder_name(base.embedder) if base.has_vectors else t("keyword search"),
        "at": local(switch.started_at),
    }
    if job and job.state == "running" and job.what == base.name:
        state = t(
            "The switch to {embedder} has been running since {at}. Until it is finished, searches use {old}.", **fields
        )
        icon = ":material/hourglass_top:"
    else:
        state = t("The switch to {embedder}, started {at}, isn't finished. Until it is, searches use {old}.", **fields)
        icon = ":material/pause_circle:"
    st.info(plain(state), icon=icon)
    shut = hindrance("switch")
    with row():
        if button("Resume", f"resume_{base.id}", "play_arrow", type="primary", disabled=shut):
            _start_switch(base)
        if button(
            "Cancel the change",
            f"abandon_{base.id}",
            "undo",
            disabled=shut,
            help="The base keeps its current model, and the index for the other model is deleted.",
        ):
            workspace.switches.abandon(base.name)
            workspace.jobs.forget("switch")
            rerun()


def _draw_archived_model(base: KnowledgeBase) -> None:
    """Show the model that is named in the archive of an imported base, and what this model needs to run.

    Two buttons switch the base to this model or keep the current one.
    """
    with frame(f"wish_{base.id}"):
        st.markdown(
            plain(
                t(
                    "This base was imported from an archive that asks for the model {name}. The model isn't used until "
                    "you allow it.",
                    name=base.wish,
                )
            )
        )
        caption(workspace.models.asks(base.wish))
        busy = hindrance("cost", *BASES)
        with row():
            if button("Use that model", f"use_wish_{base.id}", "model_training", disabled=busy):
                _start_estimate(base, base.wish)
            if button("Keep the current model", f"drop_wish_{base.id}", "close", disabled=busy):
                workspace.bases.forget_wish(base.name)
                rerun()


def _change(base: KnowledgeBase, models: Sequence[ModelCard]) -> None:
    """Draw the embedder selector, the cost of switching, and the button that starts the switch."""
    own = base.embedder if base.has_vectors else ""
    busy = hindrance("cost", *BASES)
    with row(vertical_alignment="bottom"):
        embedder = st.selectbox(
            t("New model"),
            [model.name for model in models if not model.problem and model.name != own],
            index=None,
            key=f"switch_to_{base.id}_{base.embedder}",
            placeholder=t("Choose a model or type its name"),
            accept_new_options=True,
            help=plain(t("A name such as sentence:BAAI/bge-m3, sentence:/path/to/folder or openai_compatible:MODEL")),
        )
        estimate = button(
            "How long will it take?",
            f"cost_{base.id}",
            "calculate",
            disabled=busy or (not embedder and t("Choose a model first.")),
        )
    small_print(
        "The notes are indexed with the new model. Searches use the old index until that is finished. You can "
        "stop and continue later."
    )
    if estimate and embedder:
        _start_estimate(base, embedder.strip())
    cost = jobs.estimate(base.name)
    if cost is None:
        return
    if button(
        plain(t("Change to {name}", name=embedder_name(cost.embedder))),
        f"start_{base.id}",
        "play_arrow",
        type="primary",
        disabled=busy,
    ):
        workspace.switches.begin(base.name, cost.embedder)
        workspace.jobs.forget("cost")
        _start_switch(base)


def _start_estimate(base: KnowledgeBase, embedder: str) -> None:
    start_job(
        "cost",
        lambda progress: workspace.switches.cost(base.name, embedder, progress=jobs.about(base.name, progress)),
    )


def _start_switch(base: KnowledgeBase) -> None:
    def run(progress: Progress) -> None:
        workspace.switches.run(base.name, progress=jobs.about(base.name, progress))
        # Load the new model now: until it is loaded, the base is searched by words only.
        workspace.models.start_warming()

    start_job("switch", run)
