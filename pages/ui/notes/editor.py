"""The component in which a note is written: CodeMirror, with links and tags to complete, and what is typed sent on."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import streamlit as st

from pages.ui.notes import bundle
from pages.ui.shared.text import t

WRITE = st.components.v2.component(
    "note_editor",
    html="<div class='paper'></div>",
    css="""
.paper { height: max(22rem, calc(100vh - 15.5rem)); border: 1px solid var(--st-border-color); border-radius: .5rem; overflow: hidden; }
.paper:focus-within { border-color: var(--st-primary-color); }
.paper > .cm-editor { height: 100%; }
@media (max-width: 640px) { .paper { height: max(16rem, 55vh); } }
""",
    js="""
const PAUSE = 500;
const PREFIX = 'tessera-draft ';
const OLD = 7 * 24 * 3600 * 1000;

export default async function({ parentElement, data, setTriggerValue }) {
  const paper = parentElement.querySelector('.paper');
  const own = paper.own ??= { number: data.number, sent: data.number, stamp: data.stamp, last: 0 };
  own.send = setTriggerValue;
  own.data = data;
  const place = () => PREFIX + own.data.key;
  const forget = () => localStorage.removeItem(place());
  // What was typed since the last draft outlives a reload and a crash here.
  const note = text => {
    try { localStorage.setItem(place(), JSON.stringify({ text, number: own.number, at: Date.now() })); } catch { /* no space is left */ }
  };
  const send = (name, text) => {
    clearTimeout(own.timer);
    own.timer = null;
    own.last = performance.now();
    own.sent = own.number;
    own.send(name, { text, number: own.number, at: own.editor.at() });
  };
  const left = () => own.number !== own.sent;

  if (!own.opened) {
    own.opened = import(new URL(data.script, location.origin).href).then(({ edit }) => {
      own.offers = {};
      for (const name of ['notes', 'tags'])
        own.offers[name] = () => {
          if (own.offered?.[name] !== own.data[name])
            own.offered = { ...own.offered, [name]: own.data[name], [`${name}s`]: own.data[name].map(
              ([label, detail]) => ({ label, detail, folded: `${label}\\n${detail}`.toLowerCase() })) };
          return own.offered[`${name}s`];
        };
      own.editor = edit(paper, {
        text: data.text,
        words: data.words,
        lists: () => ({ notes: own.offers.notes(), tags: own.offers.tags() }),
        on: {
          change: text => {
            if (own.loading) return;
            own.number += 1;
            note(text);
            if (own.timer) clearTimeout(own.timer);
            const idle = performance.now() - own.last > 4 * PAUSE;
            own.timer = setTimeout(() => send('draft', own.editor.text()), idle ? 0 : PAUSE);
          },
          blur: text => left() && send('draft', text),
          save: text => send('save', text),
          leave: text => send('leave', text),
        },
      });
      const listening = new AbortController();
      own.close = () => {
        listening.abort();
        clearTimeout(own.timer);
        if (!left()) forget();
        own.editor.close();
      };
      const whole = { signal: listening.signal, capture: true };
      // In a field too: what stands in it is taken over first.
      document.addEventListener('keydown', event => {
        const saves = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
          && (event.key === 'Enter' || event.key.toLowerCase() === 's');
        if (!saves || event.isComposing || event.composedPath().includes(paper)) return;
        event.preventDefault();
        document.activeElement?.blur();
        setTimeout(() => send('save', own.editor.text()), 60);
      }, whole);
      addEventListener('pagehide', () => left() && send('draft', own.editor.text()), whole);
      const stored = name => {
        try { return JSON.parse(localStorage.getItem(name)); } catch { return null; }
      };
      for (const name of Object.keys(localStorage))
        if (name.startsWith(PREFIX) && !(stored(name)?.at > Date.now() - OLD)) localStorage.removeItem(name);
      const kept = stored(place());
      if (kept && kept.number > data.number && typeof kept.text === 'string') {
        own.loading = true;
        own.editor.load(kept.text);
        own.loading = false;
        own.number = kept.number;
        send('draft', kept.text);
      }
      if (data.text || data.number) own.editor.focus();
    });
  }
  await own.opened;
  if (own.stamp !== data.stamp) {
    own.stamp = data.stamp;
    if (data.text !== own.editor.text() && data.number >= own.number) {
      own.loading = true;
      own.editor.load(data.text);
      own.loading = false;
    }
    if (!left()) forget();
  }
  if (own.worded !== JSON.stringify(data.words)) {
    own.worded = JSON.stringify(data.words);
    own.editor.words(data.words);
  }
  return () => setTimeout(() => { if (!paper.isConnected) own.close(); }, 0);
}
""",
)
"""Triggers `draft`, `save` and `leave`: the text, the caret's place, and the text's number; a later text has a higher one."""


def write(
    token: str,
    text: str,
    *,
    number: int,
    stamp: int,
    notes: Sequence[tuple[str, str]],
    tags: Sequence[tuple[str, str]],
    typed: Callable[[str, int, int], None],
) -> Collection[str]:
    """Draw the editor; return what a person wants in this run: `save`, `leave`.

    `token` is the draft's. A new `stamp` loads `text`, which has a `number`, in place of what is there. `typed` gets
    what the person wrote, the number of that, and where the caret is in it, before the script runs.
    """
    key = f"editor_{token}"
    data = {
        "key": token,
        "text": text,
        "number": number,
        "stamp": stamp,
        "notes": notes,
        "tags": tags,
        "script": bundle.ADDRESS,
        "words": {"label": t("Text of the note"), "hint": t("Write in Markdown. [[ offers notes, # offers tags.")},
    }

    def sent(name: str) -> Callable[[], None]:
        def take() -> None:
            if value := st.session_state[key].get(name):
                typed(value["text"], value["number"], value["at"])

        return take

    with st.container(key="note_editor"):
        result: Any = WRITE(
            key=key,
            data=data,
            on_draft_change=sent("draft"),
            on_save_change=sent("save"),
            on_leave_change=sent("leave"),
        )
    return {name for name in ("save", "leave") if getattr(result, name, None)}
