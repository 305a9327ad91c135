const MOVES = { ArrowDown: 1, ArrowUp: -1 };
const PATIENCE = 3000;
const HITS = ':is([class*="st-key-head_"], [class*="st-key-early_head_"]) a';

const switcher = () => document.querySelector('.st-key-switch_text input');
const box = () => switcher() ?? document.querySelector('.st-key-q input');
const hits = () =>
  [...document.querySelectorAll(switcher() ? '[class*="st-key-switch_to_"] button' : HITS)].filter(one => one.offsetParent);
const writes = element => element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);

const focus = element => {
  element?.focus();
  element?.scrollIntoView({ block: 'nearest' });
};

const take = () => {
  window.tesseraSearches = false;
  focus(box());
  box()?.select();
};

const switching = () => {
  if (!(performance.now() < window.tesseraSwitches)) return;
  if (switcher() && document.activeElement !== switcher()) switcher().focus();
  requestAnimationFrame(switching);
};

const arrive = until => {
  if (!window.tesseraSearches) return;
  if (box()) take();
  else if (performance.now() < until) requestAnimationFrame(() => arrive(until));
};

// The arrows and Escape between the box and what it lists, Enter in the switcher.
const move = event => {
  // What was typed last is looked for a moment later.
  if (event.key === 'Enter' && switcher() && document.activeElement === switcher()) {
    setTimeout(() => hits()[0]?.click(), 400);
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

const press = (event, send) => {
  if (event.isComposing || event.defaultPrevented) return;
  const held = event.ctrlKey || event.metaKey;
  const asks = held ? event.key.toLowerCase() === 'k' : event.key === '/' && !event.altKey && !writes(event.target);
  if (asks && !event.shiftKey) {
    event.preventDefault();
    if (box()) {
      take();
    } else {
      window.tesseraSearches = true;
      send('search', true);
    }
  } else if (held && event.key.toLowerCase() === 'o' && !event.shiftKey && !event.altKey) {
    event.preventDefault();
    if (document.querySelector('[role=dialog]')) return;
    window.tesseraSwitches = performance.now() + PATIENCE;
    switching();
    send('switch', true);
  } else if (!held && !event.altKey && !event.shiftKey && box()) {
    move(event);
  }
};

export default function({ data, setTriggerValue }) {
  // Streamlit runs this again with every drawing of the page: one listener at a time.
  window.tesseraKeys?.abort();
  window.tesseraKeys = new AbortController();
  const listening = { signal: window.tesseraKeys.signal, capture: true };
  document.addEventListener('keydown', event => press(event, setTriggerValue), listening);
  if (data.searches) arrive(performance.now() + PATIENCE);
}
