"""The component in which a note is written: CodeMirror, with links and tags to complete, and what is typed sent on."""

from collections.abc import Callable, Mapping, Sequence
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
const PATIENCE = 1500;
const PREFIX = 'tessera-draft ';
const OLD = 7 * 24 * 3600 * 1000;

export default async function({ parentElement, data, setTriggerValue }) {
  const paper = parentElement.querySelector('.paper');
  const own = paper.own ??= { number: data.number, sent: data.number, stamp: data.stamp, wishes: data.wishes, last: 0 };
  own.send = setTriggerValue;
  own.data = data;
  const place = () => PREFIX + own.data.key;
  const forget = () => localStorage.removeItem(place());
  // What was typed since the last draft outlives a reload and a crash here.
  const note = text => {
    try { localStorage.setItem(place(), JSON.stringify({ text, number: own.number, at: Date.now() })); } catch { /* no space is left */ }
  };
  // A message may be lost, or take the place of one that nobody has read yet: where the page is drawn anew at that moment.
  // So each tells the last wish again, with its number, and is sent again until the answer shows that it came.
  const send = (text, wish) => {
    clearTimeout(own.timer);
    if (wish) {
      own.wish = wish;
      own.wishes += 1;
    }
    own.timer = null;
    own.last = performance.now();
    own.sent = own.number;
    clearTimeout(own.again);
    own.again = setTimeout(() => came() || send(own.editor.text()), PATIENCE);
    own.send('typed', { text, number: own.number, at: own.editor.at(), wish: own.wish, wishes: own.wishes });
  };
  const came = () => own.data.taken >= own.sent && own.data.wishes >= own.wishes;
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
            own.timer = setTimeout(() => send(own.editor.text()), idle ? 0 : PAUSE);
          },
          blur: text => left() && send(text),
          save: text => send(text, 'save'),
          leave: text => send(text, 'leave'),
        },
      });
      const listening = new AbortController();
      own.close = () => {
        listening.abort();
        clearTimeout(own.timer);
        clearTimeout(own.again);
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
        setTimeout(() => send(own.editor.text(), 'save'), 60);
      }, whole);
      addEventListener('pagehide', () => left() && send(own.editor.text()), whole);
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
        send(kept.text);
      }
      if (data.text || own.number) own.editor.focus();
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
"""Triggers `typed`: the text, its number, the caret's place, and the last wish, save or leave, with its number.

A later text, and a later wish, has a higher number.
"""


def write(
    token: str,
    text: str,
    *,
    number: int,
    stamp: int,
    taken: int,
    wishes: int,
    notes: Sequence[tuple[str, str]],
    tags: Sequence[tuple[str, str]],
    typed: Callable[[Mapping[str, Any]], None],
) -> None:
    """Draw the editor.

    `token` is the draft's. A new `stamp` loads `text`, which has a `number`, in place of what is there. `taken` is the
    number of the text, and `wishes` that of the wish, that came last. `typed` gets what the editor sends, before the
    script runs.
    """
    key = f"editor_{token}"
    data = {
        "key": token,
        "text": text,
        "number": number,
        "stamp": stamp,
        "taken": taken,
        "wishes": wishes,
        "notes": notes,
        "tags": tags,
        "script": bundle.ADDRESS,
        "words": {"label": t("Text of the note"), "hint": t("Write in Markdown. [[ offers notes, # offers tags.")},
    }

    def take() -> None:
        if value := st.session_state[key].get("typed"):
            typed(value)

    with st.container(key="note_editor"):
        WRITE(key=key, data=data, on_typed_change=take)
