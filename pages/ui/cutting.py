"""The chunks of a note: choosing it, its figures, the table, and the strategy's explanation."""

from collections.abc import Sequence
from statistics import median

import streamlit as st

from core.model import Chunk, ChunkingOptions, Cut, Filters, KnowledgeBase, Note
from core.workspace import Workspace
from pages.ui import links, look
from pages.ui.cards import tags
from pages.ui.safe import html
from pages.ui.sentences import said
from pages.ui.text import t

LISTED = 500
BARS = 300


def picker(workspace: Workspace, bases: list[str]) -> str | None:
    """Draw base, search and list, and return the chosen note's id; a link's note comes chosen."""
    if linked := links.arrived("note"):
        st.session_state.update(cut_note=linked, cut_base="", cut_text="")
    if st.session_state.get("cut_base") not in bases:
        st.session_state["cut_base"] = ""
    everywhere = t("notes.all")
    left, middle, right = st.columns([2, 3, 5])
    base = left.selectbox(
        t("column.base"),
        ["", *bases],
        format_func=lambda name: name or everywhere,
        key="cut_base",
        persist_state="session",
    )
    text = middle.text_input(t("notes.text"), key="cut_text", icon=":material/filter_alt:", persist_state="session")
    cards = workspace.notes(Filters(bases=(base,) if base else ()), text=text.strip())
    chosen: str | None = st.session_state.get("cut_note")
    listed = {card.id: card for card in cards[:LISTED]}
    if chosen and chosen not in listed:
        # A note that is chosen stays chosen when the list around it changes; a link may name one that is gone.
        card = next((card for card in workspace.notes() if card.id == chosen), None)
        if card is None:
            links.say("note", chosen)
            st.session_state.pop("cut_note")
            workspace.note(chosen)
        else:
            listed = {chosen: card, **listed}
    note = right.selectbox(
        t("chunks.note"),
        list(listed),
        index=None,
        format_func=lambda key: f"{listed[key].title} — {listed[key].path or listed[key].base} ({listed[key].chunks})",
        key="cut_note",
        placeholder=t("chunks.pick"),
        persist_state="session",
    )
    if len(cards) > LISTED:
        right.caption(t("chunks.first", n=LISTED, all=len(cards)))
    if note != linked and note != links.known("note"):
        links.say("chunk", "")
    links.say("note", note or "")
    return note


def head(note: Note, chunks: Sequence[Chunk]) -> None:
    """Draw the note's title and what its chunks add up to."""
    sizes = [chunk.token_count for chunk in chunks]
    left, right = st.columns([6, 5], vertical_alignment="bottom", gap="medium")
    with left:
        st.html(
            f'<div class="t-title">{html(note.title)}</div><div class="t-facts t-place"><span>{html(note.path or "")}</span>'
            f"{tags(note.tags)}</div>"
        )
        st.page_link(
            "pages/1_notes.py", label=t("chunks.to_note"), icon=":material/description:", query_params={"note": note.id}
        )
    if not chunks:
        st.info(t("chunks.none"))
        return
    figures = {"count": len(chunks), "smallest": min(sizes), "median": int(median(sizes)), "largest": max(sizes)}
    facts = "".join(f"<span>{t(f'chunks.{name}')} <b>{number:,}</b></span>" for name, number in figures.items())
    right.html(f'<div class="t-facts">{facts}<span>{t("chunks.sizes")}</span></div>{_bars(sizes)}')


def _bars(sizes: Sequence[int]) -> str:
    top = max(sizes)
    bars = [
        f'<i title="{number + 1}: {size}" style="height: {4 + 96 * size / top:.0f}%; background: {look.TILES[number % len(look.TILES)]}"></i>'
        for number, size in enumerate(sizes[:BARS])
    ]
    return f'<div class="t-sizes">{"".join(bars)}</div>'


def asked_for(chunks: Sequence[Chunk]) -> int | None:
    """Return the index of the chunk that the address names, None where it names none."""
    said = st.query_params.get("chunk", "")
    if not said:
        return None
    if said.isdecimal() and int(said) < len(chunks):
        return int(said)
    st.warning(t("chunks.no_such", n=html(said)))
    return None


def table(note: Note, chunks: Sequence[Chunk], shown: int | None) -> None:
    """Draw a row for every chunk; choosing one shows it in the text."""
    key = f"chunks_{note.id}_{note.generation}"
    if key in st.session_state or shown is not None:
        st.session_state[key] = {"selection": {"rows": [] if shown is None else [shown]}}
    shared = _shared([chunk.section for chunk in chunks])
    rows = [
        {
            "index": chunk.index + 1,
            "section": " › ".join(chunk.section[shared:] or chunk.section[-1:]),
            "tokens": chunk.token_count,
            "overlap": chunk.overlap_tokens,
            "characters": len(chunk.text),
            "kind": t(f"kind.{chunk.kind}"),
            "state": t(f"state.{chunk.state}"),
        }
        for chunk in chunks
    ]

    def picked() -> None:
        chosen = st.session_state[key]["selection"]["rows"]
        links.say("chunk", str(chosen[0]) if chosen else "")

    st.dataframe(
        rows,
        key=key,
        height=min(330, 38 + 35 * len(rows)),
        hide_index=True,
        column_config={
            "index": st.column_config.NumberColumn(t("column.index"), width=40),
            "section": st.column_config.TextColumn(t("column.section"), width=150),
            **{
                name: st.column_config.NumberColumn(t(f"column.{name}"), width=62)
                for name in ("tokens", "overlap", "characters")
            },
            **{name: st.column_config.TextColumn(t(f"column.{name}"), width=78) for name in ("kind", "state")},
        },
        on_select=picked,
        selection_mode="single-row",
    )
    st.caption(t("chunks.table.hint"))


def _shared(sections: Sequence[tuple[str, ...]]) -> int:
    """Return how many titles all sections begin with: they needn't be told in every row."""
    columns = zip(*sections, strict=False)
    return next((number for number, titles in enumerate(columns) if len(set(titles)) > 1), min(map(len, sections)))


@st.cache_data(max_entries=64, show_spinner=False)
def _cut(_workspace: Workspace, _note: Note, key: str, options: ChunkingOptions, embedder: str) -> Cut:
    return _workspace.cut(_note, options, embedder)


def why(workspace: Workspace, note: Note, base: KnowledgeBase, chunks: Sequence[Chunk]) -> None:
    """Draw what the choice of a strategy was made from, the choice, and why not the others."""
    cut = _cut(workspace, note, f"{note.id}:{note.content_hash}", base.chunking, base.embedder)
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
    if [(chunk.start, chunk.end) for chunk in cut.chunks] != [(chunk.start, chunk.end) for chunk in chunks]:
        st.info(t("chunks.older"))
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
