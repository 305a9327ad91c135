"""The list of notes as a tree of folders, in the sidebar: choosing the note whose chunks are shown."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any
from zlib import crc32

import streamlit as st

from core.errors import NoteNotFound
from core.model import Filters, NoteCard
from core.workspace import Workspace
from pages.ui import links
from pages.ui.text import t

DEEPEST = 12
"""Folders below each other; deeper ones share a line."""
OPEN = 60
"""A search with at most so many results shows all of them unfolded."""

VIEW = st.components.v2.component(
    "note_tree",
    html="<div class='tree'></div>",
    css="""
.tree { max-height: 26rem; overflow: auto; font: .88rem/1.45 var(--st-font); color: var(--st-text-color); }
details > div { margin-left: .55rem; padding-left: .45rem; border-left: 1px solid var(--st-border-color); }
summary { cursor: pointer; padding: .14rem .2rem; border-radius: .3rem; font-weight: 600; overflow-wrap: anywhere; }
summary:hover, button:hover { background: color-mix(in srgb, currentColor 8%, transparent); }
button { all: unset; box-sizing: border-box; display: flex; gap: .5rem; justify-content: space-between; width: 100%; cursor: pointer;
  padding: .16rem .35rem; border-radius: .3rem; content-visibility: auto; contain-intrinsic-size: auto 1.6rem; }
button:focus-visible, summary:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: -2px; }
button.on { background: color-mix(in srgb, var(--st-primary-color) 22%, transparent); font-weight: 600; }
button span { overflow-wrap: anywhere; }
i { font-style: normal; font-weight: 400; opacity: .6; font-size: .8em; font-variant-numeric: tabular-nums; }
i.pending::after { content: ' •'; color: #d39a2e; font-weight: 700; }
""",
    js="""
export default function({ parentElement, data, setTriggerValue }) {
  const tree = parentElement.querySelector('.tree');
  const count = (text, pending) => {
    const small = document.createElement('i');
    small.textContent = text;
    if (pending) small.className = 'pending';
    return small;
  };
  const fill = (box, folder) => {
    for (const inner of folder.folders) {
      const details = document.createElement('details');
      const line = document.createElement('summary');
      const body = document.createElement('div');
      details.dataset.name = inner.name;
      line.append(document.createTextNode(inner.name + ' '), count(inner.count, false));
      details.append(line, body);
      details.fill = () => { if (!body.childNodes.length) fill(body, inner); };
      details.ontoggle = details.fill;
      if (data.unfolded) { details.open = true; details.fill(); }
      box.append(details);
    }
    for (const [id, title, chunks, pending] of folder.notes) {
      const note = document.createElement('button');
      const name = document.createElement('span');
      name.textContent = title;
      note.type = 'button';
      note.dataset.id = id;
      note.append(name, count(chunks, pending));
      box.append(note);
    }
  };
  if (tree.dataset.stamp !== data.stamp) {
    tree.dataset.stamp = data.stamp;
    tree.dataset.chosen = '';
    tree.replaceChildren();
    fill(tree, data.tree);
  }
  tree.onclick = event => {
    const note = event.target.closest('button');
    if (note) setTriggerValue('pick', note.dataset.id);
  };
  if (data.chosen && tree.dataset.chosen !== data.chosen) {
    tree.dataset.chosen = data.chosen;
    let box = tree;
    for (const name of data.path) {
      const details = [...box.children].find(child => child.dataset.name === name);
      if (!details) break;
      details.open = true;
      details.fill();
      box = details.lastChild;
    }
    tree.querySelector('button.on')?.classList.remove('on');
    const note = [...tree.querySelectorAll('button')].find(one => one.dataset.id === data.chosen);
    note?.classList.add('on');
    if (note) {
      const top = note.getBoundingClientRect().top - tree.getBoundingClientRect().top;
      if (top < 0 || top > tree.clientHeight - 24) tree.scrollTop += top - tree.clientHeight / 3;
    }
  }
}
""",
)


def picker(workspace: Workspace, bases: list[str]) -> str | None:
    """Draw base, search and tree, and return the chosen note's id; a link's note comes chosen."""
    if linked := links.arrived("note"):
        st.session_state.update(cut_note=linked, cut_base="", cut_text="")
    if st.session_state.get("cut_base") not in bases:
        st.session_state["cut_base"] = ""
    everywhere = t("notes.all")
    with st.sidebar, st.container(key="picker"):
        base = st.selectbox(
            t("column.base"),
            ["", *bases],
            format_func=lambda name: name or everywhere,
            key="cut_base",
            persist_state="session",
        )
        text = st.text_input(t("notes.text"), key="cut_text", icon=":material/filter_alt:", persist_state="session")
        cards = workspace.notes(Filters(bases=(base,) if base else ()), text=text.strip())
        chosen: str | None = st.session_state.get("cut_note")
        _draw(cards, chosen, several=len(bases) > 1 and not base, unfolded=bool(text.strip()) and len(cards) <= OPEN)
    links.say("note", chosen or "")
    if chosen and chosen not in {card.id for card in cards}:
        try:
            workspace.note(chosen)
        except NoteNotFound:
            st.session_state.pop("cut_note")
            raise
    return chosen


def _draw(cards: Sequence[NoteCard], chosen: str | None, *, several: bool, unfolded: bool) -> None:
    if not cards:
        st.caption(t("notes.none.found"))
        return
    tree = folders(cards, several=several)
    card = next((card for card in cards if card.id == chosen), None)

    def picked() -> None:
        if (note := st.session_state["tree"].pick) is not None:
            st.session_state["cut_note"] = note
            links.say("note", note)
            links.say("chunk", "")

    data = {
        "tree": tree,
        "chosen": chosen if card else None,
        "path": _above(card, several=several) if card else [],
        "unfolded": unfolded,
        "stamp": str(crc32(repr((tree, unfolded)).encode("utf-8", "surrogatepass"))),
    }
    VIEW(key="tree", data=data, on_pick_change=picked)


def folders(cards: Sequence[NoteCard], *, several: bool) -> dict[str, Any]:
    """Return notes as nested folders, each with its name, how many notes it holds, its folders and its notes."""
    root: dict[str, Any] = {"name": "", "count": 0, "folders": {}, "notes": []}
    for card in sorted(cards, key=lambda card: (card.path or card.title).casefold()):
        folder = root
        for name in _above(card, several=several):
            folder = folder["folders"].setdefault(name, {"name": name, "count": 0, "folders": {}, "notes": []})
            folder["count"] += 1
        folder["notes"].append([card.id, card.title, card.chunks, card.pending > 0])
    return _listed(root)


def _listed(folder: dict[str, Any]) -> dict[str, Any]:
    return folder | {"folders": [_listed(inner) for inner in folder["folders"].values()]}


def _above(card: NoteCard, *, several: bool) -> list[str]:
    parts = PurePosixPath(card.path or "").parts[:-1]
    if len(parts) > DEEPEST:
        parts = (*parts[:DEEPEST], "/".join(parts[DEEPEST:]))
    return [card.base, *parts] if several else list(parts)
