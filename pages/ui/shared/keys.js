export default function({ data, setTriggerValue }) {
  const switcher = () => document.querySelector('.st-key-switch_text input');
  const box = () => switcher() ?? document.querySelector('.st-key-q input');
  const hits = () => [...document.querySelectorAll(switcher() ? '[class*="st-key-switch_to_"] button'
    : ':is([class*="st-key-head_"], [class*="st-key-early_head_"]) a')].filter(one => one.offsetParent);
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

  const switching = () => {
    if (!(performance.now() < window.tesseraSwitches)) return;
    if (switcher() && document.activeElement !== switcher()) switcher().focus();
    requestAnimationFrame(switching);
  };

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
    if (held && event.key.toLowerCase() === 'o' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      if (document.querySelector('[role=dialog]')) return;
      window.tesseraSwitches = performance.now() + 3000;
      switching();
      return setTriggerValue('switch', true);
    }
    if (held || event.altKey || event.shiftKey || !box()) return;
    // What was typed last is looked for a moment later.
    if (event.key === 'Enter' && switcher() && document.activeElement === switcher())
      return setTimeout(() => hits()[0]?.click(), 400);
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
