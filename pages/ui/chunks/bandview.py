"""The component that draws a note in bands: a click or arrow key chooses one, a double click or Enter opens it."""

import streamlit as st

from pages.ui.shared import style

TILES = "".join(
    f".tile{number} {{ --tile: {tile}; }} .next{number} {{ --next: {tile}; }}"
    for number, tile in enumerate(style.TILES)
)

VIEW = st.components.v2.component(
    "chunk_bands",
    html="<div class='note' tabindex='0'></div>",
    css=TILES
    + """
.note { height: 41rem; overflow: auto; position: relative; border: 1px solid var(--st-border-color); border-radius: .5rem;
  padding: .4rem; font: .9rem/1.6 var(--st-font); color: var(--st-text-color); }
.note:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.own, .both, .gap { white-space: pre-wrap; overflow-wrap: anywhere; padding: .1rem .7rem; content-visibility: auto; contain-intrinsic-size: auto 9rem; }
.own { border-left: 4px solid var(--tile); background: color-mix(in srgb, var(--tile) 9%, transparent); cursor: pointer; }
.own:hover { background: color-mix(in srgb, var(--tile) 15%, transparent); }
.own.on { background: color-mix(in srgb, var(--tile) 22%, transparent); outline: 2px solid var(--tile); outline-offset: -2px; }
.both { border-left: 4px solid; border-image: linear-gradient(var(--tile), var(--next)) 1;
  background: repeating-linear-gradient(-45deg, color-mix(in srgb, var(--tile) 20%, transparent) 0 6px, color-mix(in srgb, var(--next) 20%, transparent) 6px 12px); }
.gap { opacity: .5; border-left: 4px solid transparent; line-height: 1; padding-block: 0; contain-intrinsic-size: auto 1rem; }
.head { font-size: .74rem; user-select: none; padding-top: .15rem; color: color-mix(in srgb, var(--tile) 60%, var(--st-text-color)); }
.only { border-top: 2px dashed var(--st-primary-color); }
.badge { margin-left: .5rem; padding: 0 .4rem; border-radius: 1rem; font-weight: 600; color: var(--st-background-color); background: var(--st-text-color); }
.only .badge { background: var(--st-primary-color); color: #fff; }
.deleted > span { text-decoration: line-through; opacity: .5; }
.instead { margin: .3rem 0; padding: .25rem .6rem; border: 1px solid var(--tile); border-radius: .4rem; background: var(--st-background-color); }
.instead + span, .replaced { opacity: .5; }
.replaced { border-top: 1px dashed var(--tile); display: block; }
""",
    js="""
export default function({ parentElement, data, setTriggerValue }) {
  const note = parentElement.querySelector('.note');
  if (note.dataset.stamp !== data.stamp) {
    note.dataset.stamp = data.stamp;
    const made = data.pieces.map(([kind, index, tile, next, head, text, marks, badge, instead]) => {
      const band = document.createElement('div');
      band.className = `${kind} tile${tile} next${next} ${marks}`;
      if (kind === 'own') band.dataset.index = index;
      if (head) {
        const line = document.createElement('div');
        line.className = 'head';
        line.textContent = head;
        if (badge) {
          const label = document.createElement('span');
          label.className = 'badge';
          label.textContent = badge;
          line.append(label);
        }
        band.append(line);
      }
      if (instead) {
        const written = document.createElement('div');
        written.className = 'instead';
        written.textContent = instead;
        band.append(written);
      }
      const own = document.createElement('span');
      if (instead && text) own.className = 'replaced';
      own.textContent = text;
      band.append(own);
      return band;
    });
    note.replaceChildren(...made);
  }
  const show = (shown, jump) => {
    const before = note.querySelector('.own.on');
    if (before === shown) return;
    before?.classList.remove('on');
    if (!shown) return;
    shown.classList.add('on');
    const top = shown.offsetTop;
    const seen = top >= note.scrollTop && top + Math.min(shown.offsetHeight, 80) <= note.scrollTop + note.clientHeight;
    if (seen && !jump) return;
    // Bands out of sight have a guessed height: what comes into sight has its own a moment later.
    const until = performance.now() + (jump ? 1000 : 100);
    const settle = () => {
      if (note.settling !== settle) return;
      note.scrollTop = shown.offsetTop - (jump ? 24 : note.clientHeight / 3);
      if (performance.now() < until) requestAnimationFrame(settle);
    };
    note.settling = settle;
    settle();
  };
  // A choice is sent a moment later: the first click of a double click must not redraw the page under the second.
  const send = band => {
    clearTimeout(note.sending);
    note.sending = setTimeout(() => setTriggerValue('pick', Number(band.dataset.index)), 240);
  };
  const open = band => {
    clearTimeout(note.sending);
    if (data.editable) setTriggerValue('edit', Number(band.dataset.index));
  };
  note.onwheel = note.onpointerdown = () => { note.settling = null; };
  note.onclick = event => {
    const band = event.target.closest('.own');
    if (!band || (event.detail < 2 && getSelection().toString())) return;
    show(band, false);
    send(band);
  };
  note.ondblclick = event => {
    const band = event.target.closest('.own');
    if (!band) return;
    getSelection().removeAllRanges();
    open(band);
  };
  note.onkeydown = event => {
    const bands = [...note.querySelectorAll('.own')];
    const at = bands.findIndex(band => band.classList.contains('on'));
    if (event.key === 'Enter' && at >= 0) {
      event.preventDefault();
      open(bands[at]);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const band = bands[Math.max(0, Math.min(bands.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1)))];
      show(band, false);
      send(band);
    }
  };
  const drawn = `${data.shown}:${data.stamp}`;
  if (note.dataset.drawn !== drawn) {
    note.dataset.drawn = drawn;
    show(data.shown === null ? null : note.querySelector(`.own[data-index="${data.shown}"]`), true);
  }
}
""",
)
