"""A base's page, with its name, toggles, splitting, model and search settings, and a box for trial searches."""

from dataclasses import replace

import streamlit as st
from streamlit import query_params, session_state

from core.model import BaseStatus, KnowledgeBase, RefusedChunk
from pages.ui.bases import folders, listing, model
from pages.ui.notes import imports, trash
from pages.ui.search import hits
from pages.ui.shared import jobs, knobs, reports
from pages.ui.shared.jobs import hindrance
from pages.ui.shared.knobs import AS_SET, draw_switch
from pages.ui.shared.names import search_mode
from pages.ui.shared.safe import facts, html, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import busy, small_print, t, t_plural, text_of
from pages.ui.shared.widgets import (
    base_link,
    button,
    caption,
    chunk_link,
    errors,
    expander,
    form,
    group_title,
    halves,
    more,
    page_link,
    row,
    select_in,
    small,
    submit,
    tabs,
    text_area,
    text_input,
)

# Switches for a base that are always visible.
_USUAL = ("watch", "write_files")
# A base's search settings that are always visible.
_USUAL_SEARCH = ("limit", "reranker")
_SHOWN = 20
# Maximum number of characters to show of each refused passage. At most `_SHOWN` passages are listed.
_LENGTH = 80


def section(status: BaseStatus) -> None:
    """Show the passages that the base's model refused, if any, with their notes, the reasons, and a retry button."""
    if not status.refused:
        return
    base = status.base.name
    with expander(
        t_plural("{n} passage rejected by the model", "{n} passages rejected by the model", n=status.refused),
        "block",
        f"refused_{status.base.id}",
    ):
        small_print(
            "These passages are found by keyword only. Tessera tries them again when their text or the model "
            "changes, or when you retry them."
        )
        refused = workspace.pending.refused(base)
        by_reason: dict[str, list[RefusedChunk]] = {}
        for refused_chunk in refused[:_SHOWN]:
            by_reason.setdefault(text_of(refused_chunk.reason), []).append(refused_chunk)
        for reason, chunks in by_reason.items():
            st.markdown(plain(reason))
            for refused_chunk in chunks:
                with row():
                    chunk_link(refused_chunk.note_id, None, refused_chunk.title)
                    caption(" ".join(refused_chunk.text.split())[:_LENGTH], width="content")
        more(len(refused) - _SHOWN)
        if button(
            "Retry them",
            f"retry_{status.base.id}",
            "replay",
            disabled=hindrance(*jobs.WRITING, "embed", base=base),
        ):
            knobs.embed(base, refused=True)


def page(status: BaseStatus) -> None:
    """Draw a base's page, with its problems, the import form and its settings."""
    base = status.base
    folders.back()
    if query_params.get("came"):
        page_link("review.py", "Back to Review", "arrow_back")
    st.html(f'<div class="t-title">{html(base.name)}</div>{facts(listing.figures(status))}')
    imports.adding(base.name, opened=not status.notes or folders.is_adding())
    folders.problems(base)
    folders.section(base)
    section(status)
    if base.wish:
        small_print("The imported archive asks for another model. On the Model tab, choose whether to use it.")
    tabs(
        {
            t("General"): lambda: _general(status),
            t("Search"): lambda: _search(base),
            t("Model"): lambda: model.draw_model(status),
            t("Splitting"): lambda: model.draw_splitting(base),
        },
        f"tab_{base.id}",
    )


def _general(status: BaseStatus) -> None:
    base = status.base
    left, right = halves("base")
    with left:
        _name(base)
        shown = {"embed_at_once": base.has_vectors, "write_files": not base.plain, "read_pictures": not base.plain}
        for name in _USUAL:
            if shown.get(name, True):
                draw_switch(base, name)
    with right:
        folders.connection(base)
        reports.draw_ignored(base)
        with expander("More options", "tune", f"switches_{base.id}"):
            for name in knobs.SWITCHES:
                if name not in _USUAL and shown.get(name, True):
                    draw_switch(base, name)
    with row():
        if status.pending:
            knobs.embed_all(base, status.pending)
        base_link(base.name)
        listing.export(base)
        small("Delete this base", "delete_base", "delete", trash.ask, (), base.name, disabled=hindrance("import"))


def _name(base: KnowledgeBase) -> None:
    with form(f"names_{base.id}"):
        name = text_input("Name", f"name_{base.id}_{base.name}", base.name, max_chars=80)
        description = text_input(
            "Description", f"about_{base.id}", base.description, placeholder=t("What is this base for?")
        )
        if not submit(
            "Save",
            f"save_{base.id}",
            "check",
            disabled=hindrance("import", *jobs.BASES, *jobs.EVALUATION),
        ):
            return
    workspace.bases.update(base.name, description=description.strip())
    new = name.strip()
    if new != base.name:
        workspace.bases.rename(base.name, new)
        folders.go(new)
        for key in ("notes_base", "eval_base", "cut_base"):
            if session_state.get(key) == base.name:
                session_state[key] = new
        if base.name in (chosen := session_state.get("search_bases", [])):
            session_state["search_bases"] = [new if name == base.name else name for name in chosen]
    st.rerun()


def _search(base: KnowledgeBase) -> None:
    """Show a base's search settings, with a box for a trial question below them and its hits on their right."""
    left, right = st.columns([5, 6], gap="large")
    with left:
        _draw_search_settings(base)
        key = f"tried_{base.id}"
        group_title("Try it")
        with form(f"try_{base.id}"):
            typed = text_area("Question", f"{key}_text", height=80)
            if submit("Ask this base", f"{key}_ask", "search", type="primary"):
                session_state[key] = typed.strip()
        text = str(session_state.get(key, ""))
    with right, errors():
        if text:
            _answer(base, text)
        else:
            small_print("Results from this base appear here.")


def _draw_search_settings(base: KnowledgeBase) -> None:
    """Show a base's search settings. Choices are saved immediately. Unset settings follow the Settings page."""
    keys = {name: f"{name}_{base.id}" for name in knobs.fitting(knobs.OF_BASES, base)}

    def save() -> None:
        own = {name: None if (value := session_state[key]) == AS_SET else value for name, key in keys.items()}
        workspace.bases.update(base.name, search=replace(base.search, **own))

    small_print("Settings left at their default follow the Settings page.")
    usual = st.container()
    rare = [name for name in keys if name not in _USUAL_SEARCH]
    advanced = expander("Advanced", "tune", f"more_search_{base.id}") if rare else usual
    for name, key in keys.items():
        own = getattr(base.search, name)
        session_state[key] = AS_SET if own is None else own
        texts = knobs.value_labels(name)
        texts.setdefault(session_state[key], knobs.value_label(name, own))
        select_in(
            advanced if name in rare else usual,
            knobs.setting_label(name),
            texts,
            key,
            on_change=save,
            disabled=workspace.readonly,
        )


def _answer(base: KnowledgeBase, text: str) -> None:
    with busy("Searching…"):
        result = workspace.search(text, bases=base.name, wait=False)
    st.caption(
        f"{t_plural('{n} hit', '{n} hits', n=len(result.hits))} · {search_mode(result)}"
        f" · {t('{ms} ms', ms=round(result.took_ms))}"
    )
    hits.draw_choice(result)
    if result.hits and not result.confident:
        small_print("Nothing similar was found. The closest hits:")
    hits.draw_hits(text, result, base=False)
