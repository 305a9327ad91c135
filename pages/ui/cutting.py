"""What is told of a note's chunks: its head, their figures, and why it is cut so."""

from collections.abc import Sequence

import streamlit as st

from core.model import Chunk, ChunkingOptions, Cut, Note
from core.workspace import Workspace, sizes
from pages.ui import links
from pages.ui.cards import tags
from pages.ui.safe import html
from pages.ui.sentences import said
from pages.ui.text import t

BARS = 24
_STEPS = [factor * 10**power for power in range(7) for factor in (1, 2, 5)]


def head(note: Note, own: bool) -> str:
    """Draw the note's title and the choice of a view, which is returned: stored, preview or compare."""
    views = {name: t(f"view.{name}") for name in ("stored", "preview", "compare")}
    left, right = st.columns([6, 5], vertical_alignment="bottom", gap="medium")
    with left:
        st.html(
            f'<div class="t-title">{html(note.title)}</div><div class="t-facts t-place">'
            f"<span>{html(note.path or '')}</span>{tags([*note.tags, *([t('chunks.own')] if own else [])])}</div>"
        )
    with right, st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="right"):
        st.page_link(
            "pages/1_notes.py", label=t("chunks.to_note"), icon=":material/description:", query_params={"note": note.id}
        )
        view = st.segmented_control(
            t("view"),
            list(views),
            format_func=views.__getitem__,
            key="cut_view",
            default="stored",
            required=True,
            label_visibility="collapsed",
            persist_state="session",
        )
    return str(view)


def figures(chunks: Sequence[Chunk]) -> None:
    """Draw how many chunks there are, their sizes, and how those are spread."""
    living = [chunk for chunk in chunks if chunk.state != "deleted"]
    told = sizes(living)
    values = {
        "count": f"{told.count:,}",
        "smallest": f"{told.smallest:,}",
        "mean": f"{told.mean:,.0f}",
        "largest": f"{told.largest:,}",
        "deviation": f"{told.deviation:,.0f}",
    }
    facts = "".join(f"<span>{t(f'chunks.{name}')} <b>{value}</b></span>" for name, value in values.items())
    gone = f"<span>{t('chunks.deleted', n=len(chunks) - len(living))}</span>" if len(living) < len(chunks) else ""
    st.html(
        f'<div class="t-facts">{facts}<span>{t("chunks.sizes")}</span>{gone}</div>'
        f"{_histogram([chunk.token_count for chunk in living])}"
    )


def buckets(numbers: Sequence[int]) -> tuple[int, int, list[int]]:
    """Return where a histogram begins, how wide its bars are, and how many numbers each holds."""
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


def asked_for(chunks: Sequence[Chunk]) -> int | None:
    """Return the index of the chunk that the address names, None where it names none."""
    said = st.query_params.get("chunk", "")
    if not said:
        return None
    if said.isdecimal() and int(said) < len(chunks):
        return int(said)
    if said == links.known("chunk"):
        # Chosen on this page, when there were more chunks.
        return len(chunks) - 1
    st.warning(t("chunks.no_such", n=html(said)))
    return None


def cut(workspace: Workspace, note: Note, options: ChunkingOptions, embedder: str) -> Cut:
    """Cut a note as an import would, under its edits; the same again is remembered."""
    return _cut(workspace, note, f"{note.id}:{note.content_hash}:{note.generation}", options, embedder)


@st.cache_data(max_entries=64, show_spinner=False)
def _cut(_workspace: Workspace, _note: Note, key: str, options: ChunkingOptions, embedder: str) -> Cut:
    return _workspace.cut(_note, options, embedder)


def why(cut: Cut) -> None:
    """Draw what the choice of a strategy was made from, the choice, and why not the others."""
    st.subheader(t("chunks.why"))
    lines = []
    for number, reason in enumerate(cut.reasons):
        name, _, rest = reason.partition(": ")
        verdict = "chosen" if number == 0 else "rejected"
        told = said(reason)
        told = rest[:1].upper() + rest[1:] if told == reason else told
        lines.append(
            f'<div class="t-reason {verdict}"><b>{html(t(f"strategy.{name}"))}</b>'
            f'<span class="t-small">{t(f"chunks.{verdict}")}</span><br>{html(told)}</div>'
        )
    st.html("".join(lines))
    profile = cut.profile
    headings = " ".join(f"H{level}×{count}" for level, count in enumerate(profile.headings, start=1) if count) or "0"
    facts = {
        "chunks.language": t(f"lang.{profile.language}"),
        "chunks.headings": headings,
        "chunks.code": f"{profile.code_share:.0%}",
        "chunks.tables": f"{profile.table_share:.0%}",
    }
    told = "".join(f"<span>{t(name)}: <b>{html(value)}</b></span>" for name, value in facts.items())
    sizes = f"<span>{t('n.tokens', n=profile.tokens)}</span><span>{t('n.characters', n=profile.characters)}</span>"
    st.html(f'<div class="t-small t-dim">{t("chunks.profile")}</div><div class="t-facts">{sizes}{told}</div>')
