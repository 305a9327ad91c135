"""The component in which a note is written: CodeMirror, with links and tags to complete, and what is typed sent on.

An editor lives in the window, not in the page: where the page is drawn anew, it holds the keys until its place is there
again. What it sends may be lost on the way, so it is sent again until the answer shows that it came; until it is stored,
it stays on the shelf.
"""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.workspace import Workspace
from pages.ui.notes import bundle, letters, shelf, writing
from pages.ui.notes.offers import Offers
from pages.ui.notes.writing import Writing
from pages.ui.shared.text import t

WRITE = st.components.v2.component(
    "note_editor",
    html="<div class='paper'></div>",
    css="""
.paper { height: max(22rem, calc(100vh - 15.5rem)); border: 1px solid var(--st-border-color); border-radius: .5rem; overflow: hidden; }
.paper:focus-within { border-color: var(--st-primary-color); }
@media (max-width: 640px) { .paper { height: max(16rem, 55vh); } }
""",
    js=shelf.SCRIPT
    + """
const PAUSE = 500;
const PATIENCE = 1500;
const HOLD = 30000;

const lines = text => text.replace(/\\r\\n?/g, '\\n');
const came = own => own.data.taken >= own.sent && own.data.wishes >= own.wishes;
const connected = () => document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'CONNECTED';
const left = own => own.number !== own.sent;
const titled = own => (own.titled > own.data.taken ? own.title : undefined);
const item = own => ({
  token: own.token, about: own.data.about, number: own.number, text: own.editor.text(), at: own.editor.at(), title: titled(own),
});

const send = (own, wish) => {
  for (const timer of [own.timer, own.again]) clearTimeout(timer);
  own.timer = null;
  own.again = setTimeout(() => (left(own) || !came(own)) && send(own), PATIENCE);
  if (wish) {
    own.wish = wish;
    own.wishes += 1;
    own.waits = true;
  }
  if (!own.paper || own.session !== shelf.session || !connected()) return;
  own.waits = false;
  own.last = performance.now();
  own.sent = own.number;
  const { number, text, at, title } = item(own);
  own.trigger('typed', { text, number, at, title, wish: own.wish, wishes: own.wishes });
};

const changed = own => {
  own.number += 1;
  own.outlives = shelf.put(own.data.place, item(own));
  clearTimeout(own.timer);
  const idle = performance.now() - own.last > 4 * PAUSE;
  own.timer = setTimeout(() => send(own), idle ? 0 : PAUSE);
};

const move = (own, place) => {
  const focused = own.focused;
  place.append(own.host);
  if (focused && [document.body, null, own.host].includes(document.activeElement)) own.editor.focus();
};

const show = (own, paper) => {
  if (own.paper === paper) return;
  own.paper = paper;
  own.held = false;
  own.host.style.cssText = 'height: 100%';
  clearTimeout(own.end);
  move(own, paper);
  if (left(own) || !came(own)) send(own);
};

// Where the page is drawn anew the keys come here meanwhile; where the note was left, nobody waits for them.
const hold = own => {
  own.paper = null;
  own.held = true;
  if (shelf.session === own.session && shelf.open !== own.token) return own.close();
  own.host.style.cssText = 'position: fixed; bottom: 0; height: 1px; width: 1px; overflow: hidden; opacity: 0';
  move(own, document.body);
  own.end = setTimeout(own.close, HOLD);
};

const begin = (own, edit) => {
  own.host = document.createElement('div');
  own.host.style.cssText = 'height: 100%';
  const offers = name => {
    if (own.offered?.[name] !== own.data[name])
      own.offered = { ...own.offered, [name]: own.data[name], [`${name}s`]: own.data[name].map(
        ([label, detail]) => ({ label, detail, folded: `${label}\\n${detail}`.toLowerCase() })) };
    return own.offered[`${name}s`];
  };
  // A text of this draft that was typed and didn't come to the workspace is later than the draft.
  const { place, about, number } = own.data;
  const later = shelf.all(place).filter(one => one.about.key === about.key && one.number > number)
    .sort((one, other) => other.number - one.number)[0];
  own.editor = edit(own.host.attachShadow({ mode: 'open' }), {
    text: later?.text ?? own.data.text,
    words: own.data.words,
    lists: () => ({ notes: offers('notes'), tags: offers('tags') }),
    on: { change: () => changed(own), blur: () => left(own) && send(own), save: () => send(own, 'save') },
  });
  const listening = new AbortController();
  const watch = new MutationObserver(() => own.paper && !own.paper.isConnected && hold(own));
  own.item = () => item(own);
  own.close = () => {
    listening.abort();
    watch.disconnect();
    for (const timer of [own.timer, own.again, own.end]) clearTimeout(timer);
    shelf.editors.delete(own.token);
    own.editor.close();
    own.host.remove();
    shelf.deliver();
  };
  watch.observe(document.body, { childList: true, subtree: true });
  const whole = { signal: listening.signal, capture: true };
  own.host.addEventListener('focusin', () => { own.focused = true; }, whole);
  // An element that is taken away loses the focus too, and isn't left by that.
  own.host.addEventListener('focusout', () => setTimeout(() => {
    if (own.paper) own.focused = own.editor.focused();
  }), whole);
  // In a field too: what stands in it is taken over first.
  document.addEventListener('keydown', event => {
    const saves = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
      && (event.key === 'Enter' || event.key.toLowerCase() === 's');
    if (!saves || event.isComposing || shelf.open !== own.token || event.composedPath().includes(own.host)) return;
    event.preventDefault();
    document.activeElement?.blur();
    setTimeout(() => send(own, 'save'), 60);
  }, whole);
  document.addEventListener('input', event => {
    if (shelf.open !== own.token || !event.target.closest?.('[class*="st-key-note_title_"]')) return;
    own.title = event.target.value;
    own.titled = own.number + 1;
    changed(own);
  }, whole);
  addEventListener('pagehide', () => left(own) && send(own), whole);
  addEventListener('beforeunload', event => {
    if (own.data.stored < own.number && !own.outlives) event.preventDefault();
  }, whole);
  if (later) {
    own.number = later.number;
    if (later.title !== undefined) {
      own.title = later.title;
      own.titled = own.number + 1;
    }
    changed(own);
    shelf.drop(place, later.token, later.number);
  }
  if (own.data.text || own.number) own.focused = true;
};

// An editor whose session ended goes on in the one that took its place, with a save that nobody can have read.
const adopted = data => {
  const own = shelf.editors.get(data.was);
  if (!own?.editor) return null;
  shelf.editors.delete(data.was);
  Object.assign(own, {
    data, token: data.token, session: data.session, wish: own.waits ? own.wish : undefined,
    wishes: data.wishes + (own.waits ? 1 : 0), waits: false, number: Math.max(own.number, data.number), sent: data.number,
  });
  setTimeout(() => {
    if (own.number > data.number || own.editor.text() !== lines(data.text)) changed(own);
    shelf.drop(data.place, data.was, own.number);
  });
  return own;
};

export default async function({ parentElement, data, setTriggerValue }) {
  const paper = parentElement.querySelector('.paper');
  const own = shelf.editors.get(data.token) ?? adopted(data)
    ?? { token: data.token, number: data.number, sent: data.number, wishes: data.wishes, last: 0 };
  shelf.editors.set(data.token, own);
  own.session = data.session;
  own.data = data;
  own.trigger = setTriggerValue;
  own.opened ??= import(new URL(data.script, location.origin).href).then(({ edit }) => begin(own, edit));
  await own.opened;
  if (shelf.editors.get(data.token) !== own) return;
  if (paper.isConnected) show(own, paper);
  shelf.drop(data.place, data.token, own.data.stored);
  if (own.worded !== JSON.stringify(data.words)) {
    own.worded = JSON.stringify(data.words);
    own.editor.words(data.words);
  }
}
""",
)
"""Triggers `typed`: the text, its number, the caret's place, a title that was typed, and the last wish with its number.

A later text, and a later wish, has a higher number.
"""


def write(workspace: Workspace, now: Writing, offered: Offers, typed: Callable[[Mapping[str, Any]], None]) -> None:
    """Draw the editor; `typed` gets what it sends, before the script runs."""
    key = f"editor_{now.token}"

    def take() -> None:
        # Where the editor was left, what it sent last comes too late for the page, and stays on the shelf.
        if sent := (st.session_state.get(key) or {}).get("typed"):
            typed(sent)

    data = {
        "token": now.token,
        "was": now.was,
        "text": now.body,
        "number": now.number,
        "taken": now.number,
        "stored": now.stored,
        "wishes": now.wishes,
        "about": letters.about(writing.draft_of(workspace, now)),
        "place": workspace.name,
        "session": letters.session(),
        "notes": offered.notes,
        "tags": offered.tags,
        "script": bundle.ADDRESS,
        "words": {"label": t("Text of the note"), "hint": t("Write in Markdown. [[ offers notes, # offers tags.")},
    }
    with st.container(key="note_editor"):
        WRITE(key=key, data=data, on_typed_change=take)
