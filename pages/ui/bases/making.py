"""The form for a new base: all its settings, before the base exists."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.model import ABOUT_KINDS, BASE_KINDS, BaseFields, BaseKind, SearchSettings
from core.workspace import Workspace
from pages.ui.bases import place, splitting
from pages.ui.shared import knobs, parameters, widgets
from pages.ui.shared.text import t, text_of

SWITCHES = ("new_at_once", "new_write", "new_watch", "new_trust")


def page(workspace: Workspace) -> None:
    """Draw the choices for a new base, the split of a note by them, and the button that makes it."""
    place.back()
    st.subheader(t("New base"))
    left, right = st.columns([5, 6], gap="large")
    with left:
        name = st.text_input(t("Name"), key="new_name", max_chars=80)
        description = st.text_input(t("Description"), key="new_description", placeholder=t("What is it for?"))
        kind = _kind()
        usual, literal = workspace.bases.usual(kind), kind == "literal"
        embedder = usual.embedder if literal else _model(workspace, usual.embedder)
        search = _search(workspace, knobs.OF_BASES[:1] if literal else knobs.OF_BASES[:2])
        at_once, write, watch, trust = _switches(indexes=not literal)
        make = widgets.button(t("Make the base"), "make_base", "check", type="primary", disabled=workspace.readonly)
    with right:
        st.html(f'<div class="t-caption">{t("How its notes are split")}</div>')
        side = "new" if kind == "vector" else f"new_{kind}"
        chunking = parameters.choose(side, usual.chunking, usual.chunking, reset=t("Reset to the defaults"))
        splitting.preview(workspace, chunking, embedder)
    if make:
        fields = BaseFields(
            description=description.strip(),
            search=search,
            embed_at_once=at_once,
            write_files=write,
            watch=watch,
            trusts_programs=trust,
        )
        chosen = "" if literal else embedder
        base = workspace.bases.add(name.strip(), kind=kind, embedder=chosen, chunking=chunking, **fields)
        if st.session_state.get("plan"):
            st.switch_page("notes.py")  # an import waits for its base
        place.go(base.name)
        st.rerun()


def _kind() -> BaseKind:
    """Draw the kinds of bases, each with what it means, and return the chosen one."""
    kinds: list[BaseKind] = [*BASE_KINDS]
    about = [text_of(ABOUT_KINDS[kind]) for kind in kinds]
    return st.radio(
        t("Kind"), kinds, format_func=lambda kind: text_of(BASE_KINDS[kind]), captions=about, key="new_kind"
    )


def _model(workspace: Workspace, usual: str) -> str:
    cards = workspace.models.all()
    names = {
        card.name: knobs.shown("embedder", card.name) for card in cards if card.part == "embedder" and not card.problem
    }
    names.setdefault(usual, knobs.shown("embedder", usual))
    about = t("It decides what is near in meaning. It can be changed later, which indexes all notes again.")
    return widgets.select_or_type(t("Model for meaning"), names, usual, "new_embedder", help=about) or usual


def _search(workspace: Workspace, names: Sequence[str]) -> SearchSettings:
    """Draw some search settings of a base and return them; None leaves one to the settings of the program."""
    chosen: dict[str, Any] = {}
    for column, name in zip(st.columns(2), names, strict=False):
        usual = knobs.shown(name, getattr(workspace.bases.search_settings(), name))
        texts = {None: t("Default: {value}", value=usual)}
        texts |= {value: knobs.shown(name, value) for value in knobs.values(workspace, name)}
        chosen[name] = widgets.select(knobs.setting(name), texts, f"new_{name}", column)
    return SearchSettings.of(chosen)


def _switches(*, indexes: bool) -> list[bool]:
    """Draw the switches of a base and return them; the first has an effect only in a base with vectors."""
    return [
        st.toggle(label, value=value, key=key, help=about) if indexes or key != SWITCHES[0] else value
        for key, value, (label, about) in zip(SWITCHES, (True, False, False, False), switch_texts(), strict=True)
    ]


def switch_texts() -> tuple[tuple[str, str], ...]:
    """Return the label and the help of the switches of a base."""
    return (
        (
            t("Index new chunks at once"),
            t(
                "On: new chunks of this base are indexed as they are made. Off: they wait until you index them; you "
                "can search them by words meanwhile."
            ),
        ),
        (
            t("Write edits into the files"),
            t(
                "On: editing a note here changes its file, so that other programs see the edit. Off: files are only "
                "read; a note of a file can be copied and edited here."
            ),
        ),
        (
            t("Watch the folders"),
            t(
                "On: while Tessera runs, it looks every minute for changed files and syncs them. Where many notes would "
                "be removed, it asks you first."
            ),
        ),
        (
            t("Trust programs"),
            t(
                "On: what assistants and other programs write here counts at once. Off: it waits on the page Notes "
                "until you accept it, for programs make mistakes."
            ),
        ),
    )
