const MOVES = { ArrowDown: 1, ArrowUp: -1 };
const PATIENCE = 3000;
const WAIT = 20000;
const LOST = 500;
const NARROW = 768;
const CARD = ':is([class*="st-key-other_"], [class*="st-key-hit_"], [class*="st-key-early_"]):not([class*="head_"])';
const CTRL = 'Ctrl+';
const ALT = 'Alt+';
const LINK = 'Ctrl+K';
const CROSSES = ':is(.st-key-facets_close, .st-key-notes_drawer_close) button';
const COLLAPSE = '[data-testid="stSidebarCollapseButton"] button';
const BUTTONS = { e: '.st-key-edit_note button' };
const FIELD = ':is(textarea, input:is([type=text], [type=search])):not([role=combobox], [readonly], :disabled)';
const HITS = ':is([class*="st-key-head_"], [class*="st-key-early_head_"]) a';

const switcher = () => document.querySelector('.st-key-switch_text input');
const box = () => switcher() ?? document.querySelector('.st-key-q input');
const hits = () =>
  [...document.querySelectorAll(switcher() ? '[class*="st-key-switch_to_"] button' : HITS)].filter(one => one.offsetParent);
const writes = element => element.isContentEditable || element.matches('textarea, select, input:not([type=checkbox], [type=radio])');

const focus = element => {
  element?.focus();
  element?.scrollIntoView({ block: 'nearest' });
};

const take = () => {
  window.tesseraSearches = false;
  focus(box());
  box()?.select();
};

const dialog = () => document.querySelector('[role=dialog]');

// Focus the first field of a dialog that opens; the field may be drawn later.
const enter = until => {
  if (!document.activeElement?.matches('[role=dialog]') || performance.now() > until) return;
  const field = document.activeElement.querySelector(FIELD);
  if (field) focus(field);
  else requestAnimationFrame(() => enter(until));
};

const arrive = until => {
  if (!window.tesseraSearches) return;
  if (box()) take();
  else if (performance.now() < until) requestAnimationFrame(() => arrive(until));
};

const keyOf = element => element?.closest?.('[class*="st-key-switch_to_"]')?.className.match(/st-key-switch_to_\S+/)?.[0];

// Open the first item of the switcher once its list is the one for the typed text, unless the user types on.
const openFirst = (text, until) => {
  if (switcher()?.value !== text || document.activeElement !== switcher()) return;
  if (document.querySelector('[data-listed]')?.dataset.listed === text) hits()[0]?.click();
  else if (performance.now() < until) setTimeout(() => openFirst(text, until), 50);
};

// The list of the switcher may be redrawn while one of its items has the focus: the focus follows the item, not its place.
const stay = () => {
  clearTimeout(window.tesseraLost);
  const item = window.tesseraItem && hits().find(one => keyOf(one) === window.tesseraItem);
  if (item && item !== document.activeElement) focus(item);
  else if (window.tesseraItem && !item) window.tesseraLost = setTimeout(() => window.tesseraItem && take(), LOST);
};

const note = element => {
  window.tesseraItem = switcher() ? keyOf(element) : undefined;
  window.tesseraList?.disconnect();
  if (!window.tesseraItem) return;
  window.tesseraList = new MutationObserver(stay);
  window.tesseraList.observe(dialog(), { childList: true, subtree: true, attributeFilter: ['class'] });
};

// The arrow keys and Escape move between the box and its list; Enter opens the first item of the switcher.
const move = event => {
  if (event.key === 'Enter' && switcher()) {
    if (document.activeElement === switcher()) openFirst(switcher().value, performance.now() + WAIT);
    // Another item took the place of the one with the focus just now.
    else if (window.tesseraItem && keyOf(document.activeElement) !== window.tesseraItem) event.preventDefault();
    return;
  }
  const all = hits(), at = all.indexOf(document.activeElement);
  const inside = document.activeElement === box();
  if (event.key in MOVES && (inside || at >= 0)) {
    const next = at + MOVES[event.key];
    if (inside && MOVES[event.key] < 0) return;
    event.preventDefault();
    if (next < 0) take();
    else focus(all[Math.min(next, all.length - 1)]);
  } else if (event.key === 'Escape' && at >= 0) {
    take();
  }
};

// Close the drawer over a narrow page; return whether one was open.
const shut = () => {
  const crosses = [...document.querySelectorAll(CROSSES), ...(window.innerWidth > NARROW ? [] : document.querySelectorAll(COLLAPSE))];
  const cross = crosses.find(one => one.checkVisibility());
  cross?.click();
  return Boolean(cross);
};

// Shortcuts don't work while a dialog is open.
const wishFor = (name, send) => {
  if (dialog()) return;
  if (name === 'search' && box()) {
    take();
  } else {
    if (name === 'search') window.tesseraSearches = true;
    send(name, true);
  }
};

const isPressed = (event, key) => {
  const held = event.ctrlKey || event.metaKey;
  // With Alt, a key may produce another character, so its position on the keyboard counts.
  if (key.startsWith(ALT)) return event.altKey && !held && !event.shiftKey && event.code === 'Key' + key.slice(ALT.length);
  if (event.altKey || held !== key.startsWith(CTRL)) return false;
  if (held) return !event.shiftKey && !(key === LINK && event.composedPath()[0].closest('.cm-content')) && event.key.toLowerCase() === key.slice(CTRL.length).toLowerCase();
  return event.key === key && !writes(event.composedPath()[0]);
};

const press = (event, keys, send) => {
  if (event.isComposing || event.defaultPrevented) return;
  const wish = Object.keys(keys).find(name => keys[name].some(key => isPressed(event, key)));
  const key = Object.keys(BUTTONS).find(name => isPressed(event, name));
  const pressed = key && document.querySelector(BUTTONS[key]);
  if (wish) {
    event.preventDefault();
    wishFor(wish, send);
  } else if (pressed && !dialog()) {
    event.preventDefault();
    pressed.click();
  } else if (event.key === 'Escape' && !writes(event.composedPath()[0]) && !dialog() && shut()) {
    event.preventDefault();
  } else if (!(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) && box()) {
    move(event);
  }
};

// On a narrow screen the side bar covers the page that it leads to.
const fold = event => {
  if (window.innerWidth > NARROW || !event.target.closest('[data-testid="stSidebar"] a')) return;
  document.querySelector(COLLAPSE)?.click();
};

// A click on a hit's text follows the link of its title, unless the user is selecting text.
const follow = event => {
  if (!event.target.closest('.t-lines') || !getSelection().isCollapsed) return;
  event.target.closest(CARD)?.querySelector(HITS)?.click();
};

export default function({ data, setTriggerValue }) {
  document.documentElement.lang = data.language;
  // Streamlit runs this again whenever the page is redrawn; only one listener may remain.
  window.tesseraKeys?.abort();
  window.tesseraKeys = new AbortController();
  const listening = { signal: window.tesseraKeys.signal, capture: true };
  document.addEventListener('keydown', event => press(event, data.keys, setTriggerValue), listening);
  document.addEventListener('focusin', event => event.target.matches('[role=dialog]') && enter(performance.now() + PATIENCE), listening);
  document.addEventListener('focusin', event => note(event.target), listening);
  document.addEventListener('click', fold, listening);
  document.addEventListener('click', follow, listening);
  if (data.searches) arrive(performance.now() + PATIENCE);
}
