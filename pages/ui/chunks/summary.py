"""Facts about a note's chunks: the note's head, their figures, and the reasons for the split."""

from collections.abc import Collection, Sequence

import streamlit as st

from core.model import Chunk, ChunkingOptions, Cut, Edit, Note, Sizes
from core.workspace import Workspace
from pages.ui.shared import knobs, links, names, safe, widgets
from pages.ui.shared.cards import tags
from pages.ui.shared.safe import html
from pages.ui.shared.text import t, t_plural, text_of

BARS = 24
_STEPS = [factor * 10**power for power in range(7) for factor in (1, 2, 5)]


def head(note: Note, own: bool) -> str:
    """Draw the note's title and the choice of a view, and return the view: stored, preview or compare."""
    views = {"stored": t("Chunks"), "preview": t("Preview"), "compare": t("Compare")}
    left, right = st.columns([6, 5], vertical_alignment="bottom", gap="medium")
    with left:
        st.html(
            f'<div class="t-title">{html(note.title)}</div><div class="t-facts t-place">'
            f"<span>{html(note.path or '')}</span>{tags([*note.tags, *([t('own settings')] if own else [])])}</div>"
        )
    with right, st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="right"):
        widgets.note_link(note.id)
        if note.plain:
            return "stored"  # its lines are its chunks, whatever is chosen
        return widgets.segments(t("View"), views, "cut_view", default="stored", persist_state="session")


def figures(chunks: Sequence[Chunk]) -> None:
    """Draw the number of the chunks, their sizes, and a histogram of the sizes."""
    living = [chunk for chunk in chunks if chunk.state != "deleted"]
    sizes = Sizes.from_chunks(living)
    values = [
        (t("Chunks"), f"{sizes.count:,}"),
        (t("Smallest"), f"{sizes.smallest:,}"),
        (t("Average"), f"{sizes.mean:,.0f}"),
        (t("Largest"), f"{sizes.largest:,}"),
    ]
    gone = f"<span>{t('{n} hidden', n=len(chunks) - len(living))}</span>" if len(living) < len(chunks) else ""
    st.html(
        f'<div class="t-facts">{safe.figures(values)}<span>{t("tokens")}</span>{gone}</div>'
        f"{_histogram([chunk.token_count for chunk in living])}"
    )


def buckets(numbers: Sequence[int]) -> tuple[int, int, list[int]]:
    """Return the start of a histogram, the width of its bars, and the count of each bar."""
    low, high = min(numbers), max(numbers)
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
    ends = f"<span>{first:,}</span><span>{first + step * len(counts):,}</span>"
    return f'<div class="t-histogram"><div class="t-sizes">{bars}</div><div class="t-ends">{ends}</div></div>'


def linked_chunk(chunks: Sequence[Chunk]) -> int | None:
    """Return the index of the chunk in the address, None without one."""
    index = st.query_params.get("chunk", "")
    if not index:
        return None
    if index.isdecimal() and int(index) < len(chunks):
        return int(index)
    if index == links.known("chunk"):
        # Chosen on this page, when there were more chunks.
        return len(chunks) - 1
    st.warning(t("This note has no chunk {n}.", n=html(index)))
    return None


def cut(workspace: Workspace, note: Note, options: ChunkingOptions, embedder: str) -> Cut:
    """Cut a note as an import would, with its edits; results are cached."""
    return _cut(workspace, note, f"{note.id}:{note.content_hash}:{note.generation}", options, embedder)


@st.cache_data(max_entries=64, show_spinner=False)
def _cut(_workspace: Workspace, _note: Note, key: str, options: ChunkingOptions, embedder: str) -> Cut:
    return _workspace.chunks.cut(_note, options, embedder)


def retained_edits(edits: Collection[Edit]) -> None:
    """Say that the user's edits stay whatever the split is; nothing without any."""
    if edits:
        text = t_plural(
            "Your {n} edit is kept: the split changes around it.",
            "Your {n} edits are kept: the split changes around them.",
            n=len(edits),
        )
        st.caption(f":material/edit: {text}")


def why(cut: Cut) -> None:
    """Draw the chosen strategy and the others with their reasons, and the profile that the choice is based on."""
    st.subheader(t("Why this split"))
    lines = []
    for number, reason in enumerate(cut.reasons):
        strategy, text = knobs.shown("strategy", reason.fields["strategy"]), text_of(reason.fields["reason"])
        verdict = t("not chosen") if number else t("chosen")
        lines.append(
            f'<div class="t-reason {"" if number else "chosen"}"><b>{html(strategy)}</b>'
            f'<span class="t-small">{html(verdict)}</span><br>{html(text[:1].upper() + text[1:])}</div>'
        )
    st.html("".join(lines))
    profile = cut.profile
    headings = " ".join(f"H{level}×{count}" for level, count in enumerate(profile.headings, start=1) if count) or "0"
    facts = [
        (t("Language"), text_of(names.TEXT_LANGUAGES[profile.language])),
        (t("Headings by level"), headings),
        (t("Code"), f"{profile.code_share:.0%}"),
        (t("Tables"), f"{profile.table_share:.0%}"),
    ]
    sizes = (
        f"<span>{t_plural('{n} token', '{n} tokens', n=profile.tokens)}</span>"
        f"<span>{t_plural('{n} character', '{n} characters', n=profile.characters)}</span>"
    )
    st.html(
        f'<div class="t-small t-dim">{t("What the choice is based on")}</div><div class="t-facts">{sizes}{safe.figures(facts)}</div>'
    )
