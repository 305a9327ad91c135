const PAUSE = 500;
const PATIENCE = 1500;
const MOST = 60000;
const HOLD = 30000;
const QUIET = 3000;
const shelf = window.tesseraShelf;

const lines = text => text.replace(/\r\n?/g, '\n');
const connected = () => document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'CONNECTED';
const came = own => own.data.taken >= own.sent && own.data.actions >= own.actions;
const left = own => own.number !== own.sent;
const titled = own => (own.titled > own.data.taken ? own.title : undefined);
const item = own => ({
  token: own.token, about: own.data.about, number: own.number, text: own.editor.text(), at: own.editor.at(), title: titled(own),
});

// A message may be lost, or replace one that hasn't been read yet. So each message repeats the last action with its number,
// and is sent again until the answer shows that it arrived. A message interrupts the run that would answer the previous
// one, so each waits twice as long for its answer.
const send = (own, action) => {
  for (const timer of [own.timer, own.again]) clearTimeout(timer);
  own.timer = null;
  own.wait = came(own) ? PATIENCE : Math.min(MOST, 2 * own.wait);
  own.again = setTimeout(() => (left(own) || !came(own)) && send(own), own.wait);
  if (action) {
    clearTimeout(own.quiet);
    own.quiet = null;
    own.action = action;
    own.actions += 1;
    own.waits = true;
  }
  if (!own.paper || own.session !== shelf.session || !connected()) return;
  own.waits = false;
  own.last = performance.now();
  own.sent = own.number;
  const { number, text, at, title } = item(own);
  own.trigger('typed', { text, number, at, title, action: own.action, actions: own.actions });
};

const changed = own => {
  own.number += 1;
  own.outlives = shelf.put(own.data.place, item(own));
  shelf.mark();
  clearTimeout(own.timer);
  const idle = performance.now() - own.last > 4 * PAUSE;
  own.timer = setTimeout(() => send(own), idle ? 0 : PAUSE);
  clearTimeout(own.quiet);
  own.quiet = setTimeout(() => send(own, 'rest'), QUIET);  // saving at each keystroke would split and index the note each time
};

const retitle = (own, title) => {
  own.title = title;
  own.titled = own.number + 1;
  changed(own);
};

const move = (own, place) => {
  const focused = own.focused;
  place.append(own.host);
  if (focused && [document.body, null, own.host].includes(document.activeElement)) own.editor.focus();
};

const show = (own, paper) => {
  if (own.paper === paper) return;
  const fresh = own.paper === undefined;
  own.paper = paper;
  own.held = false;
  own.host.style.cssText = 'height: 100%';
  clearTimeout(own.end);
  move(own, paper);
  if (fresh && own.focused) own.editor.focus();
  if (left(own) || !came(own)) send(own);
};

// While the page is redrawn, keystrokes arrive here; if the user left the note, they aren't needed.
const hold = own => {
  own.paper = null;
  own.held = true;
  if (shelf.session === own.session && shelf.open !== own.token) {
    own.close();
    return;
  }
  // If the bar leaves no room for the text, the caret is lost.
  own.host.style.cssText = 'position: fixed; bottom: 0; height: 9rem; width: 22rem; overflow: hidden; opacity: 0;'
    + 'pointer-events: none';
  move(own, document.body);
  own.end = setTimeout(own.close, HOLD);
};

const offer = (label, detail, link) => ({ label, detail, link, folded: `${label}\n${detail}`.toLowerCase() });
const OFFERS = {
  notes: ([name, title, folder]) => {
    const link = title && !/[[\]|]/.test(title) ? `${name}|${title}` : name;
    return offer(title || name, [title && name, folder].filter(Boolean).join(' · '), link);
  },
  tags: ([label, detail]) => offer(label, detail),
};

// Completions of a kind, prepared for searching once per list that arrives.
const offers = (own, kind) => {
  const given = own.data[kind];
  if (own.offered[kind]?.given !== given) {
    const made = given.map(OFFERS[kind]);
    own.offered[kind] = { given, made };
  }
  return own.offered[kind].made;
};

const notice = (own, text) => {
  const place = own.paper?.parentElement?.querySelector('.notice');
  if (place) place.textContent = text;
};

// Insert a text as if it were pasted: at the caret, and so that it can be undone.
const insert = (own, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const pasted = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  own.host.shadowRoot.querySelector('.cm-content').dispatchEvent(pasted);
};

const store = async (own, file) => {
  notice(own, own.data.words.adding);
  const address = `${own.data.pictures}&name=${encodeURIComponent(file.name)}`;
  const answer = await fetch(address, { method: 'POST', body: file }).then(one => one.json()).catch(() => null);
  notice(own, answer ? answer.refused ?? '' : own.data.words.lost);
  const name = file.name.replace(/\.\w+$/, '').replaceAll(/[[\]\\]/g, ' ');
  if (answer?.path) insert(own, `![${name}](${answer.path})`);
  return Boolean(answer?.path);
};

// Store files one after another until one is refused; if the clipboard contains both a text and its picture, use the text.
const takeFiles = async (own, event, given) => {
  const files = [...given?.files ?? []];
  if (!files.length || (event.type === 'paste' && given.types.includes('text/plain'))) return;
  event.preventDefault();
  event.stopPropagation();
  for (const file of files) if (!await store(own, file)) return;
};

const choose = own => {
  const chosen = Object.assign(document.createElement('input'), { type: 'file', accept: 'image/*', multiple: true });
  chosen.addEventListener('change', () => takeFiles(own, new Event('change'), chosen));
  chosen.click();
};

const isTitle = field => field.closest?.('[class*="st-key-note_title_"]');

const listen = (own, whole) => {
  own.host.addEventListener('paste', event => takeFiles(own, event, event.clipboardData), whole);
  own.host.addEventListener('drop', event => takeFiles(own, event, event.dataTransfer), whole);
  own.host.addEventListener('focusin', () => { own.focused = true; }, whole);
  // A removed element loses the focus too, but then the user hasn't left it.
  own.host.addEventListener('focusout', () => setTimeout(() => {
    if (own.paper) own.focused = own.editor.focused();
  }), whole);
  // Save from a field too, after its text is applied. Enter in the title moves on to the text.
  document.addEventListener('keydown', event => {
    if (event.isComposing || event.altKey || event.shiftKey || shelf.open !== own.token) return;
    if (event.composedPath().includes(own.host)) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key !== 'Enter' && event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      document.activeElement?.blur();
      setTimeout(() => send(own, 'save'), 60);
    } else if (event.key === 'Enter' && isTitle(event.target)) setTimeout(() => own.editor?.focus());
  }, whole);
  document.addEventListener('input', event => {
    if (shelf.open === own.token && isTitle(event.target)) retitle(own, event.target.value);
  }, whole);
  addEventListener('pagehide', () => own.quiet && send(own, 'rest'), whole);
  addEventListener('beforeunload', event => {
    if (own.data.stored < own.number && !own.outlives) event.preventDefault();
  }, whole);
};

const begin = (own, edit) => {
  const { place, text, words } = own.data, { later } = own;
  own.host = document.createElement('div');
  own.host.style.cssText = 'height: 100%';
  own.offered = {};
  own.editor = edit(own.host.attachShadow({ mode: 'open' }), {
    text: later?.text ?? text,
    at: later?.at ?? own.data.at,
    words,
    lists: () => ({ notes: offers(own, 'notes'), tags: offers(own, 'tags') }),
    on: {
      change: () => changed(own), blur: () => left(own) && send(own), save: () => send(own, 'save'), picture: () => choose(own),
      address: path => `${own.data.pictures}&path=${encodeURIComponent(path)}`,
    },
  });
  own.item = () => item(own);
  own.unsaved = () => own.number > own.data.taken || !own.data.saved;
  const listening = new AbortController();
  const watch = new MutationObserver(() => own.paper && !own.paper.isConnected && hold(own));
  own.close = () => {
    listening.abort();
    watch.disconnect();
    for (const timer of [own.timer, own.again, own.end, own.quiet]) clearTimeout(timer);
    shelf.editors.delete(own.token);
    own.editor.close();
    own.host.remove();
    shelf.deliver();
  };
  watch.observe(document.body, { childList: true, subtree: true });
  listen(own, { signal: listening.signal, capture: true });
  if (later) {
    own.number = later.number;
    if (later.title === undefined) changed(own); else retitle(own, later.title);
    shelf.drop(place, later.token, later.number);
  }
  own.focused = !document.activeElement?.matches('input, textarea');
};

// An editor whose session ended continues in the new session, starting with a save, because the last one may be lost.
const adopted = data => {
  const own = shelf.editors.get(data.predecessor);
  if (!own?.editor) return null;
  shelf.editors.delete(data.predecessor);
  Object.assign(own, {
    data, token: data.token, session: data.session, action: own.waits ? own.action : undefined,
    actions: data.actions + (own.waits ? 1 : 0), waits: false, number: Math.max(own.number, data.number), sent: data.number,
    wait: PATIENCE,
  });
  setTimeout(() => {
    if (own.number > data.number || own.editor.text() !== lines(data.text)) changed(own);
    shelf.drop(data.place, data.predecessor, own.number);
  });
  return own;
};

// A text of this draft that never reached the workspace is newer than the draft, even if the draft has been saved
// meanwhile. A key consists of the note's id, or `new`, and the draft's id.
const draftOf = ({ key }) => key.split(' ')[1];
const latest = ({ place, about, number }) => shelf.all(place)
  .filter(letter => draftOf(letter.about) === draftOf(about) && letter.number > number)
  .toSorted((first, second) => second.number - first.number)[0];

const begun = data => ({
  token: data.token, number: data.number, sent: data.number, actions: data.actions, wait: PATIENCE, last: 0, later: latest(data),
});

export default async function write(component) {
  const { parentElement, data, setTriggerValue } = component;
  const paper = parentElement.querySelector('.paper');
  const own = shelf.editors.get(data.token) ?? adopted(data) ?? begun(data);
  shelf.editors.set(data.token, own);
  Object.assign(own, { session: data.session, data, trigger: setTriggerValue });
  own.opened ??= import(new URL(data.script, location.origin).href).then(({ edit }) => begin(own, edit));
  await own.opened;
  if (shelf.editors.get(data.token) !== own) {
    // The editor was closed while it was opening, because the user left the page for a moment.
    if (paper.isConnected && data.session === shelf.session && !shelf.editors.has(data.token)) await write(component);
    return;
  }
  if (own.number < data.number) {
    // Another editor's text for this draft has reached the server; the text here is newer.
    if (own.outlives === undefined) {
      own.close();
      await write(component);
      return;
    }
    own.number = data.number;
    changed(own);
  }
  if (paper.isConnected) show(own, paper);
  shelf.drop(data.place, data.token, own.data.stored);
  shelf.mark(false);
  const worded = JSON.stringify([data.words, data.pictures]);
  if (own.worded !== worded) own.editor.words(data.words);
  own.worded = worded;
}
