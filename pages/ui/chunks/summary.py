"""The note selector on the Chunks page, and a note's summary, with statistics and the reasons for the split."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit import html as draw_html
from streamlit import session_state

from core.base.errors import NoteNotFound
from core.base.messages import Message, message, message_table
from core.model import (
    CALENDAR_BEGINS,
    ChunkingOptions,
    Cut,
    Difference,
    Edit,
    Filters,
    KnowledgeBase,
    Note,
    NoteSummary,
    Sizes,
)
from pages.ui.chunks import bands
from pages.ui.chunks.bands import Chunks, placed_edits
from pages.ui.shared import knobs, links, safe, tree
from pages.ui.shared.cards import tags
from pages.ui.shared.jobs import hindrance, is_importing, start_job
from pages.ui.shared.names import TEXT_LANGUAGES
from pages.ui.shared.safe import html, plain, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import section_title, small_print, t, t_plural, text_of
from pages.ui.shared.widgets import (
    base_filter,
    button,
    caption,
    in_columns,
    more,
    note_link,
    paragraph,
    row,
    segments,
    text_box,
    text_input,
)

# The note selector: the tree on the left, and buttons for recently changed notes if no note is chosen.

_LAST = "chunks_note"
SHOWN = 12
COLUMNS = 3


def picker(bases: list[str]) -> tuple[str | None, list[NoteSummary]]:
    """Draw the filters and the tree. Return the id of the chosen note, and the notes that match the filters.

    A link can choose a note. Otherwise, it is the last one chosen, or None. Raises NoteNotFound if it was deleted.
    """
    if linked := links.arrived_value("note"):
        session_state.update(cut_note=linked, cut_base="", cut_text="")
    base = base_filter(bases, "cut_base")
    text = text_input("Title or path", "cut_text", icon=":material/filter_alt:", persist_state="session").strip()
    cards = workspace.notes.all(Filters(bases=(base,) if base else ()), text=text)
    chosen: str | None = session_state.get("cut_note")
    last = workspace.preferences.get(_LAST)
    if chosen is None and last and workspace.notes.cards_of([last]):
        chosen = session_state["cut_note"] = last
    if cards:
        tree.draw(cards, [base, text], chosen, choose, "tree", several=len(bases) > 1 and not base)
    else:
        small_print("No note matches these filters.")
    links.set_value("note", chosen or "")
    if chosen and chosen not in {card.id for card in cards}:
        try:
            workspace.notes.get(chosen)
        except NoteNotFound:
            session_state.pop("cut_note")
            raise
    if chosen and last != chosen:
        workspace.preferences.set(_LAST, chosen)
    return chosen, cards


def choose(note_id: str) -> None:
    """Open a note on the next rerun."""
    session_state["cut_note"] = note_id
    links.set_values({"note": note_id, "chunk": ""})


def offer(cards: Sequence[NoteSummary]) -> None:
    """Draw buttons that open the SHOWN most recently changed notes in `cards`. If there are no notes at all, say so."""
    if not workspace.notes.all():
        st.caption(t("The notes are being imported.") if is_importing() else t("There are no notes yet."))
        return
    paragraph(t("Choose a note to see how it is split and to change the split."), "t-lead", "p")
    latest = sorted(cards, key=lambda card: card.updated_at or CALENDAR_BEGINS, reverse=True)
    for column, card in in_columns(latest[:SHOWN], COLUMNS):
        label = (
            f"{plain(card.title)}  \n:gray[{plain(card.base)} · {t_plural('{n} chunk', '{n} chunks', n=card.chunks)}]"
        )
        column.button(label, key=f"offer_{card.id}", width="stretch", on_click=choose, args=(card.id,))
    more(len(latest) - SHOWN)


def offer_another() -> None:
    """Draw a box for typing a title or path, and the matching notes."""
    text = text_box("Title or path", "another_text", icon=":material/filter_alt:").strip()
    if cards := workspace.notes.all(text=text):
        offer(cards)
    else:
        small_print("No note matches these filters.")


BARS = 24
_STEPS = [factor * 10**power for power in range(7) for factor in (1, 2, 5)]


def head(note: Note, own: bool) -> str:
    """Draw the note's title and the view selector. Return the chosen view: "stored", "preview" or "compare".

    `own` is True if the note has its own splitting settings.
    """
    left, right = st.columns([6, 5], vertical_alignment="bottom", gap="medium")
    with left:
        draw_html(
            f'<div class="t-title">{html(note.title)}</div><div class="t-facts t-place">'
            f"<span>{html(note.path or '')}</span>{tags([*note.tags, *([t('own settings')] if own else [])])}</div>"
        )
    with right, row(horizontal_alignment="right"):
        note_link(note.id)
        if note.plain:
            return "stored"  # each line is a chunk, whatever view was chosen
        return segments(
            "View",
            message_table({"stored": "Chunks", "preview": "Preview", "compare": "Compare"}),
            "cut_view",
            default="stored",
            persist_state="session",
        )


def figures(chunks: Chunks) -> None:
    """Show the number of visible chunks, their sizes in tokens with a histogram, and the number of hidden chunks."""
    living = [chunk for chunk in chunks if chunk.state != "deleted"]
    sizes = Sizes.from_chunks(living)
    values = [
        (t("Chunks"), f"{sizes.count:,}"),
        (t("Smallest"), f"{sizes.smallest:,}"),
        (t("Average"), f"{sizes.mean:,.0f}"),
        (t("Largest"), t_plural("{n} token", "{n} tokens", n=sizes.largest)),
    ]
    gone = f"<span>{t('{n} hidden', n=len(chunks) - len(living))}</span>" if len(living) < len(chunks) else ""
    draw_html(
        f'<div class="t-facts">{safe.figures(values)}{gone}</div>{_histogram([chunk.token_count for chunk in living])}'
    )


def buckets(numbers: Sequence[int]) -> tuple[int, int, list[int]]:
    """Build a histogram with at most BARS + 1 bins. Return the first bin's start, the bin width, and the counts."""
    low = min(numbers)
    high = max(numbers)
    step = next(step for step in _STEPS if (high - low) / step <= BARS)
    first = low // step * step
    counts = [0] * ((high - first) // step + 1)
    for number in numbers:
        counts[(number - first) // step] += 1
    return first, step, counts


def _histogram(numbers: Sequence[int]) -> str:
    if len(numbers) < 2:
        return ""
    first, step, counts = buckets(numbers)
    top = max(counts)
    bars = "".join(
        f'<i title="{first + step * number:,}–{first + step * (number + 1) - 1:,}: {count:,}"'
        f' style="height: {4 + 96 * count / top if count else 0:.0f}%"></i>'
        for number, count in enumerate(counts)
    )
    return (
        f'<div class="t-histogram"><div class="t-sizes">{bars}</div><div class="t-ends">'
        f"<span>{first:,}</span><span>{first + step * len(counts):,}</span></div></div>"
    )


def linked_chunk(chunks: Chunks) -> int | None:
    """Return the index of the chunk given in the URL, or None. Warn the user if the note has no such chunk.

    If the chunk was chosen on this page when the note had more chunks, return the index of the last chunk.
    """
    index = st.query_params.get("chunk", "")
    if not index:
        return None
    if index.isdecimal() and int(index) < len(chunks):
        return int(index)
    if index == links.last_value("chunk"):
        # This chunk was chosen on this page when the note had more chunks.
        return len(chunks) - 1
    st.warning(t("This note has no chunk {n}.", n=html(index)))
    return None


@st.cache_data(
    max_entries=64,
    show_spinner=False,
    hash_funcs={Note: lambda note: f"{note.id}:{note.content_hash}:{note.generation}"},
)
def cut(note: Note, options: ChunkingOptions, embedder: str) -> Cut:
    """Split a note as an import would, and apply the user's edits. Results are cached."""
    return workspace.chunks.cut(note, options, embedder)


def retained_edits(edits: Collection[Edit]) -> None:
    """Draw a hint that the user's edits are kept however the note is split. If there are no edits, draw nothing."""
    if edits:
        caption(
            t_plural(
                "Your {n} edit is kept, and only the split around it changes.",
                "Your {n} edits are kept, and only the split around them changes.",
                n=len(edits),
            ),
            "edit",
        )


def why(cut: Cut) -> None:
    """Show why each splitting strategy was or wasn't chosen, and the note's profile, which determines the choice."""
    section_title("Why this split")
    lines = []
    for number, reason in enumerate(cut.reasons):
        text = text_of(reason.fields["reason"])
        lines.append(
            f'<div class="t-reason {"" if number else "chosen"}">'
            f"<b>{html(knobs.value_label('strategy', reason.fields['strategy']))}</b>"
            f'<span class="t-small">{t_html("not chosen") if number else t_html("chosen")}</span>'
            f"<br>{html(text[:1].upper() + text[1:])}</div>"
        )
    draw_html("".join(lines))
    profile = cut.profile
    facts = [
        (t("Language"), text_of(TEXT_LANGUAGES[profile.language])),
        (
            t("Headings by level"),
            " ".join(f"H{level}×{count}" for level, count in enumerate(profile.headings, start=1) if count) or "0",
        ),
        (t("Code"), f"{profile.code_share:.0%}"),
        (t("Tables"), f"{profile.table_share:.0%}"),
    ]
    draw_html(
        f'<div class="t-small t-dim">{t("What the choice is based on")}</div><div class="t-facts">'
        f"<span>{t_plural('{n} token', '{n} tokens', n=profile.tokens)}</span>"
        f"<span>{t_plural('{n} character', '{n} characters', n=profile.characters)}</span>"
        f"{safe.figures(facts)}</div>"
    )


# Trying other parameters on a note: a preview, a comparison of two splits, and buttons to apply them.

PREVIEW = (message("Same splits"), message("removed"), message("new"))
# Labels for chunk starts in both splits, only in the first, and only in the second.
COMPARE = (message("Splits in both"), message("only on the left"), message("only on the right"))


def preview(note: Note, base: KnowledgeBase, current: ChunkingOptions) -> None:
    """Draw a preview of the note split with other parameters, and the differences from the stored split."""
    left, right = st.columns(2, gap="medium")
    with right:
        tried = knobs.choose("preview", current, base.chunking)
        split = cut(note, tried, base.embedder)
        _apply(note, base, tried, current, "preview")
        retained_edits(placed_edits(note).values())
        figures(split.chunks)
        _, only = _differ(PREVIEW, workspace.chunks.all(note.id), split.chunks)
        why(split)
    with left:
        _text(note, split.chunks, "preview", only=only)


def compare(note: Note, base: KnowledgeBase, current: ChunkingOptions) -> None:
    """Show two splits of the note side by side, marking the chunks that start in only one of the splits."""
    retained_edits(placed_edits(note).values())
    cuts: list[Cut] = []
    for column, side in zip(st.columns(2, gap="medium"), ("first", "second"), strict=True):
        with column:
            other = "markdown" if cuts and cuts[0].strategy == "recursive" else "recursive"
            tried = knobs.choose(side, replace(current, strategy=other) if cuts else current, base.chunking)
            cuts.append(cut(note, tried, base.embedder))
            _apply(note, base, tried, current, side)
            figures(cuts[-1].chunks)
    only = _differ(COMPARE, cuts[0].chunks, cuts[1].chunks)
    for column, side, split, alone in zip(st.columns(2, gap="medium"), ("first", "second"), cuts, only, strict=True):
        with column:
            _text(note, split.chunks, side, only=alone)


def _differ(labels: Sequence[Message], ours: Chunks, theirs: Chunks) -> tuple[set[int], set[int]]:
    """Show how many chunks start in both of two splits, only in the first, and only in the second.

    Return the indexes of the chunks that start only in the first and only in the second.
    """
    difference = Difference.between(ours, theirs)
    only = _chunks_at(ours, difference.first), _chunks_at(theirs, difference.second)
    values = (
        (text_of(label), f"{len(starts):,}") for label, starts in zip(labels, (difference.both, *only), strict=True)
    )
    draw_html(f'<div class="t-facts t-differ">{safe.figures(values)}</div>')
    return only


def _chunks_at(chunks: Chunks, cuts: Collection[int]) -> set[int]:
    starts = set(cuts)
    end = 0
    indexes = set()
    for chunk in chunks:
        if (max(chunk.start, end) if chunk.overlap_tokens else chunk.start) in starts:
            indexes.add(chunk.index)
        end = chunk.end
    return indexes


def _text(note: Note, chunks: Chunks, side: str, *, only: Collection[int]) -> None:
    """Show one split of the note. Clicking a chunk selects the same position in every split shown."""

    def picked(index: int) -> None:
        session_state["tried_at"] = (note.id, chunks[index].start)

    where, at = session_state.get("tried_at", ("", 0))
    if chunks:
        bands.draw(
            note,
            chunks,
            placed_edits(note),
            max((chunk.index for chunk in chunks if chunk.start <= at), default=0) if where == note.id else None,
            only=only,
            key=f"bands_{side}",
            on_pick=picked,
        )


def _apply(note: Note, base: KnowledgeBase, tried: ChunkingOptions, current: ChunkingOptions, side: str) -> None:
    rechunk = partial(workspace.chunks.rechunk, options=tried)
    why = hindrance(base=base.name)
    in_use = t("These settings are already in use.")
    with row():
        if button(
            "Apply to this note",
            f"apply_note_{side}",
            "check",
            disabled=why or (tried == current and in_use),
            help=(
                "From now on, this note is split this way. Only chunks whose text changes are indexed again, and your "
                "edits are kept."
            ),
        ):
            start_job("rechunk", lambda progress: rechunk(note_ids=[note.id], progress=progress))
        if button(
            "Apply to the base",
            f"apply_base_{side}",
            "done_all",
            disabled=why or (tried == base.chunking and in_use),
            help="Splits all notes in the base this way, except notes with their own settings. Your edits are kept.",
        ):
            start_job("rechunk", lambda progress: rechunk(base.name, progress=progress))
