"""Keys that work on every page: a component without a look of its own."""

import streamlit as st

KEYS = st.components.v2.component(
    "keys",
    js="""
export default function({ data, setTriggerValue }) {
  const box = () => document.querySelector('.st-key-q input');
  const hits = () => [...document.querySelectorAll(
    ':is([class*="st-key-head_"], [class*="st-key-early_head_"]) a')].filter(one => one.offsetParent);
  const focus = element => {
    element?.focus();
    element?.scrollIntoView({ block: 'nearest' });
  };
  const take = () => {
    window.tesseraSearches = false;
    focus(box());
    box()?.select();
  };
  const writes = element => element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);
  const moves = { ArrowDown: 1, ArrowUp: -1 };

  const press = event => {
    if (event.isComposing || event.defaultPrevented) return;
    const held = event.ctrlKey || event.metaKey;
    const asks = held ? event.key.toLowerCase() === 'k' : event.key === '/' && !event.altKey && !writes(event.target);
    if (asks && !event.shiftKey) {
      event.preventDefault();
      if (box()) return take();
      window.tesseraSearches = true;
      return setTriggerValue('search', true);
    }
    if (held || event.altKey || event.shiftKey || !box()) return;
    const all = hits(), at = all.indexOf(document.activeElement);
    const inside = document.activeElement === box();
    if (event.key in moves && (inside || at >= 0)) {
      const next = at + moves[event.key];
      if (inside && moves[event.key] < 0) return;
      event.preventDefault();
      if (next < 0) take(); else focus(all[Math.min(next, all.length - 1)]);
    } else if (event.key === 'Escape' && at >= 0) {
      take();
    }
  };
  // Streamlit runs this again with every drawing of the page: one listener at a time.
  window.tesseraKeys?.abort();
  window.tesseraKeys = new AbortController();
  document.addEventListener('keydown', press, { signal: window.tesseraKeys.signal, capture: true });

  const until = performance.now() + 3000;
  const arrive = () => {
    if (!window.tesseraSearches) return;
    if (box()) take(); else if (performance.now() < until) requestAnimationFrame(arrive);
  };
  if (data.searches) arrive();
}
""",
)


def listen(*, searches: bool) -> bool:
    """Listen to `/`, Ctrl+K and the arrows; return whether a person wants to search from a page that isn't the search's."""
    with st.container(key="keys"):
        return KEYS(key="keys_component", data={"searches": searches}, on_search_change=lambda: None).search is not None
