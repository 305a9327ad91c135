"""Widgets for search settings, splitting parameters, and a base's on/off settings."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import cast

import streamlit as st
from streamlit import session_state

from core.base.messages import message_table
from core.model import (
    CHOICES,
    DEFAULTS,
    PARTS,
    SETTINGS,
    SIZES,
    BaseFields,
    Chunk,
    ChunkingOption,
    ChunkingOptions,
    CompleteSettings,
    KnowledgeBase,
    Note,
    SearchSettings,
    setting_value,
)
from pages.ui.shared.jobs import WRITING, hindrance, start_job
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t, text_of
from pages.ui.shared.widgets import button, drawn, frame, guarded, row, segments, select_in, small

# Indexing chunks that aren't indexed yet, and the toggle for indexing new chunks at once.


def draw_embedding(base: KnowledgeBase, note: Note, chunks: Sequence[Chunk]) -> None:
    """Draw the base's toggle for indexing new notes at once, and buttons that index any chunks still waiting.

    One button is for the note's chunks, and another for all chunks in the base. If the base has no embedder, draw
    nothing.
    """
    if not base.has_vectors:
        return
    pending = sum(chunk.state == "pending" for chunk in chunks)
    waiting = workspace.pending.count(base.name)
    shut = hindrance(*WRITING, "embed", base=base.name)
    with row():
        draw_switch(base, "embed_at_once")
        if pending and button(t("Index this note ({n})", n=pending), "embed_note", "bolt", disabled=shut):
            embed(note_ids=[note.id])
        if waiting > pending:
            embed_all(base, waiting)


def embed_all(base: KnowledgeBase, pending: int) -> None:
    """Draw the button that indexes a base's waiting chunks. `pending` is their number."""
    if button(
        t("Index the whole base ({n})", n=pending),
        f"embed_base_{base.id}",
        "bolt",
        disabled=hindrance(base=base.name),
    ):
        embed(base.name)


def embed(
    base: str | None = None,
    *,
    note_ids: Sequence[str] = (),
    chunk_ids: Sequence[str] = (),
    refused: bool = False,
) -> None:
    """Start a job that indexes waiting chunks: those in a base or in the given notes, or only the given chunks.

    By default, all waiting chunks are indexed. If `refused` is True, include chunks that the model has rejected.
    """
    start_job(
        "embed",
        lambda progress: workspace.pending.embed(
            base, note_ids=note_ids, chunk_ids=chunk_ids, refused=refused, progress=progress
        ),
    )


# Toggles for a base's on/off settings, in the form for a new base and for an existing base.

# Labels of the toggles, keyed by the KnowledgeBase field that each one sets.
SWITCHES = message_table(
    {
        "embed_at_once": "Make new notes searchable by meaning at once",
        "write_files": "Save edits to the files",
        "watch": "Watch the folders",
        "trusts_programs": "Accept programs' notes automatically",
        "read_pictures": "Read text in pictures",
    }
)
# Command that installs the package for reading text in pictures.
INSTALL = "pip install 'tessera-notes[ocr]'"
# Toggles that are on by default in a new base.
_ON = ("embed_at_once", "watch")


def draw_new_base_switches(*, indexes: bool, plain: bool) -> dict[str, bool]:
    """Draw the toggles for a new base and return their values, keyed by field. Toggles without effect aren't drawn.

    Of these, only `embed_at_once` is in the result, as True. The toggle for reading text in pictures is disabled if the package for this isn't installed.
    """
    left_out = {"embed_at_once": not indexes, "read_pictures": plain}
    chosen = {"embed_at_once": True}
    for name in SWITCHES:
        if not left_out.get(name):
            chosen[name] = _toggle(name, f"new_{name}", value=name in _ON)
    return chosen


def draw_switch(base: KnowledgeBase, name: str) -> None:
    """Draw one of an existing base's toggles. Clicking the toggle changes the base."""
    on = bool(getattr(base, name))
    # The key contains the state. Otherwise, a browser that still shows an older state would report it as a choice.
    key = f"{name}_{base.id}_{on}"

    def store() -> None:
        workspace.bases.update(base.name, **cast(BaseFields, {name: bool(session_state[key])}))

    more = {"on_change": guarded(store), "disabled": workspace.readonly}
    if name == "embed_at_once" and base.plain and base.name in workspace.text_folders.folders():
        more |= {
            "help": t("For folders with text files, this is set by auto_embed in tessera.toml."),
            "disabled": True,
        }
    _toggle(name, key, value=on, **more)


def _toggle(name: str, key: str, *, value: bool, **more: object) -> bool:
    """Draw a toggle. For `read_pictures`, also say how to install the package it needs if that is missing."""
    more = {"help": text_of(HELPS[name]), **more}
    unreadable = name == "read_pictures" and not workspace.pictures.can_read
    if unreadable and not value:
        more["disabled"] = True
    chosen = drawn(st.toggle, text_of(SWITCHES[name]), value=value, key=key, **more)
    if unreadable:
        small_print("The component that reads pictures isn't installed yet. Run this command, then restart Tessera:")
        st.code(INSTALL, language="sh")
    return chosen


# Widgets for the splitting strategy and its sizes.

# The sizes used by each splitting strategy, keyed by strategy.
STRATEGIES = {
    "auto": set(SIZES),
    "none": set[str](),
    "markdown": {"chunk_size", "max_single_chunk_size"},
    "recursive": {"chunk_size", "chunk_overlap", "max_single_chunk_size"},
    "lines": {"max_single_chunk_size"},
}


def choose(side: str, first: ChunkingOptions, usual: ChunkingOptions, *, reset: str = "") -> ChunkingOptions:
    """Draw the strategy selector and a slider for each size. Return the chosen options.

    The widgets start with the values in `first`, and follow changes to it until the user changes a widget. A button,
    labelled `reset` if given, sets them to `usual`, the base's own values. `side` identifies this group of widgets.
    """
    keys = {name: f"try_{side}_{name}" for name in asdict(first)}

    def begin(options: ChunkingOptions) -> None:
        session_state.update({keys[name]: value for name, value in asdict(options).items()})

    before: ChunkingOptions | None = session_state.get(f"try_{side}_from")
    moved = before and any(session_state.get(keys[name]) != value for name, value in asdict(before).items())
    if before != first and not moved:
        begin(first)
    session_state[f"try_{side}_from"] = first
    chosen = {}
    with frame(f"parameters_{side}"):
        columns = st.columns(2, gap="medium")
        strategy = select_in(
            columns[0],
            setting_label("strategy"),
            {name: value_label("strategy", name) for name in STRATEGIES},
            keys["strategy"],
            persist_state="session",
        )
        if STRATEGIES[strategy] != set(SIZES):
            why = {
                "none": t("Notes aren't split here, so the sizes have no effect."),
                "lines": t("Each line is a passage here, so only 'Largest chunk' has an effect."),
            }
            columns[0].caption(why.get(strategy, t("The sizes in grey have no effect with this way of splitting.")))
        for number, (name, option) in enumerate(SIZES.items(), start=1):
            value = session_state[keys[name]]
            # An earlier version of Tessera may have stored sizes that don't fit the slider's steps.
            fitting = scale(option, getattr(first, name), value)
            if session_state.get(f"{keys[name]}_scale") != fitting:
                # If the scale changes, Streamlit creates a new slider with its own initial value. Set the value again.
                session_state.update({f"{keys[name]}_scale": fitting, keys[name]: value})
            low, high, step = fitting
            chosen[name] = columns[number % 2].slider(
                setting_label(name),
                low,
                high,
                step=step,
                key=keys[name],
                help=text_of(option.about),
                disabled=name not in STRATEGIES[strategy],
                persist_state="session",
            )
        small_print("Lengths are in tokens. 100 tokens are about 75 English words or 150 Chinese characters.")
        own = ChunkingOptions(strategy=strategy, **chosen)
        label = reset or t("Reset to the base's settings")
        small(
            label, f"reset_{side}", "undo", begin, usual, disabled=own == usual and t("Nothing has been changed yet.")
        )
    return own


def scale(option: ChunkingOption, *values: int) -> tuple[int, int, int]:
    """Return the minimum, maximum and step of a slider that can show all `values`."""
    fits = all((value - option.least) % option.step == 0 for value in values)
    return min(option.least, *values), max(option.most, *values), option.step if fits else 1


NO_RERANKER = "none"
# Rerankers fast enough that the user doesn't notice a delay.
QUICK = (NO_RERANKER, DEFAULTS.reranker)
# Value of the option that leaves a setting at its default.
AS_SET = ""

# Help text for toggles and settings, keyed by their names.
HELPS = message_table(
    {
        "embed_at_once": (
            "If this is on, new notes in this base are indexed as they arrive. If it is off, they can be found only "
            "by keyword until you index them."
        ),
        "write_files": (
            "If this is on, editing a note here changes its file, so other programs see the edit. If it is off, "
            "files are read-only, but you can copy a note and edit the copy here."
        ),
        "watch": (
            "If this is on, changed files are imported within seconds while Tessera runs. If many notes would be "
            "removed, Tessera asks you first."
        ),
        "trusts_programs": (
            "If this is on, notes and changes by assistants and other programs take effect at once. If it is off, "
            "they wait on the Review page until you accept them, because programs make mistakes."
        ),
        "read_pictures": (
            "If this is on, words in screenshots, photos of whiteboards and scans in your notes are found too. The "
            "pictures are read on this computer, one at a time, while nothing else is running. Each takes a few "
            "seconds. If this is off, only the text of your notes is found."
        ),
        "semantic_weight": "At 1, only meaning counts. At 0, only keywords count. Applies to searches that use both.",
        "link_weight": (
            "How much a hit's score rises if its note links to one of the top notes or is linked from one."
        ),
        "priority_weight": (
            "How much the score rises for hits in notes with the highest priority. Other hits rise in "
            "proportion to their priority. At 0, priority only decides between equally good hits."
        ),
        "feedback_weight": (
            "How much your verdicts on notes change the order of the hits. They never add or remove a hit. At 0, "
            "they have no effect."
        ),
        "score_threshold": (
            "Hits with a lower score are left out. At 0, all hits are kept. The score, from 0 to 1, shows how "
            "similar a hit is to the question. Hits with your exact words score higher. This doesn't apply to "
            "keyword-only searches."
        ),
        "reranker": (
            "The best hits are compared with the whole question again and put in a new order. By default, this is "
            "done only in searches by both meaning and keyword."
        ),
        "rerank_weight": "At 1, reranking alone decides the order. At 0, the order doesn't change. Values in "
        "between combine the two.",
    }
)

# Largest range of a whole number that gets a slider. For a larger range, the user types the number.
_MANY = 100
# Values to offer for numeric settings with a large range.
OFFERED = {"limit": (5, 10, 20, 50)}

# Advanced search options, by column. The mode and the reranker are drawn separately.
OF_SEARCHES = (
    ("level", "limit", "link_weight", "priority_weight", "feedback_weight", "fusion"),
    ("rerank_weight", "expansion_size", "score_threshold", "semantic_weight", "phrase"),
)
# Search modes to offer. In bases with a model, `auto` searches by both meaning and words.
WAYS = ("auto", "semantic", "keyword")

# Search settings that show one neighbouring passage on each side of a hit.
AROUND = SearchSettings(expansion_size=1)

OF_BASES = ("limit", "score_threshold", "semantic_weight", "rerank_weight", "reranker")
# Search settings that have no effect in a base without an embedder, which is searched by words only.
BY_MEANING = {"mode", "fusion", "score_threshold", "semantic_weight", "rerank_weight", "reranker"}

OF_WAYS = ("mode", "level", "fusion", "semantic_weight", "reranker", "rerank_weight", "expansion_size")


def fitting(names: Sequence[str], base: KnowledgeBase) -> list[str]:
    """Return those of the named search settings that have an effect in a base."""
    return [name for name in names if base.has_vectors or name not in BY_MEANING]


def value(settings: CompleteSettings, name: str) -> object:
    """Return a search setting's value, converted to the type that the setting's widget requires."""
    chosen = getattr(settings, name)
    return float(chosen) if isinstance(getattr(DEFAULTS, name), float) else chosen


def draw(name: str, *, key: str, label: str = "", offered: Sequence[str] = (), **more: object) -> object:
    """Draw the widget for a search setting and return its value.

    `offered` limits the values of a setting with named values, unless the current value is another one. This function doesn't support the
    reranker, which is drawn elsewhere with labels from `value_labels`.
    """
    label = label or setting_label(name)
    least = PARTS[name].least or 0
    most = PARTS[name].most or 0
    more["help"] = text_of(HELPS[name]) if name in HELPS else None
    if CHOICES[name]:
        choices = offered if session_state.get(key) in offered else CHOICES[name]
        return segments(
            label, {choice: value_label(name, choice) for choice in choices}, key, label_visibility="visible", **more
        )
    if name in OFFERED:
        return drawn(st.select_slider, label, sorted({*OFFERED[name], session_state[key]}), key=key, **more)
    if isinstance(getattr(DEFAULTS, name), int):
        if most - least > _MANY:
            return drawn(st.number_input, label, int(least), int(most), key=key, **more)
        return drawn(st.select_slider, label, range(int(least), int(most) + 1), key=key, **more)
    return drawn(st.slider, label, float(least), float(most), step=0.05, key=key, **more)


def values(name: str) -> list[object]:
    """Return the values to offer for a search setting: names of rerankers, or numbers in its range."""
    if name == "reranker":
        return [NO_RERANKER, *workspace.models.rerankers()]
    least = PARTS[name].least or 0
    most = PARTS[name].most or 0
    return [*OFFERED[name], most] if name in OFFERED else [least + (most - least) * tenth / 10 for tenth in range(11)]


def value_labels(name: str, base: KnowledgeBase | None = None) -> dict[object, str]:
    """Return the labels of the values to offer for a setting, keyed by value. The first is AS_SET, the default."""
    usual = value_label(name, getattr(workspace.bases.search_settings(base), name))
    return {AS_SET: t("Default: {value}", value=usual), **{value: value_label(name, value) for value in values(name)}}


def setting_label(name: str) -> str:
    """Return the display name of a setting."""
    return text_of(SETTINGS.get(name, name))


def value_label(name: str, value: object) -> str:
    """Return the display text for a setting's value, or "–" if it has none."""
    return text_of(setting_value(name, value))
