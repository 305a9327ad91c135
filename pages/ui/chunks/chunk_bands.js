const element = (tag, kind, text) => {
  const made = document.createElement(tag);
  made.className = kind;
  made.textContent = text;
  return made;
};

const drawn = ([kind, index, tile, next, head, text, marks, badge, instead]) => {
  const band = element('div', `${kind} ${marks}`, '');
  band.style.setProperty('--tile', tile);
  band.style.setProperty('--next', next);
  if (kind === 'own') band.dataset.index = index;
  if (head) {
    const line = element('div', 'head', head);
    if (badge) line.append(element('span', 'badge', badge));
    band.append(line);
  }
  if (instead) band.append(element('div', 'instead', instead));
  band.append(element('span', instead && text ? 'replaced' : '', text));
  return band;
};

const show = (note, shown, jump) => {
  const before = note.querySelector('.own.on');
  if (before === shown) return;
  before?.classList.remove('on');
  if (!shown) return;
  shown.classList.add('on');
  const top = shown.offsetTop;
  const seen = top >= note.scrollTop && top + Math.min(shown.offsetHeight, 80) <= note.scrollTop + note.clientHeight;
  if (seen && !jump) return;
  // Bands out of view have an estimated height, and get their real one a moment after they come into view.
  const until = performance.now() + (jump ? 1000 : 100);
  const settle = () => {
    if (note.settling !== settle) return;
    note.scrollTop = shown.offsetTop - (jump ? 24 : note.clientHeight / 3);
    if (performance.now() < until) requestAnimationFrame(settle);
  };
  note.settling = settle;
  settle();
};

export default function({ parentElement, data, setTriggerValue }) {
  const note = parentElement.querySelector('.note');
  if (note.dataset.stamp !== data.stamp) {
    note.dataset.stamp = data.stamp;
    note.replaceChildren(...data.pieces.map(drawn));
  }
  const open = band => {
    clearTimeout(note.sending);
    if (data.editable) setTriggerValue('edit', Number(band.dataset.index));
  };
  const choose = band => {
    show(note, band, false);
    // Sent a moment later, because the first click of a double click must not redraw the page before the second.
    clearTimeout(note.sending);
    note.sending = setTimeout(() => setTriggerValue('pick', Number(band.dataset.index)), 240);
  };
  note.onwheel = note.onpointerdown = () => { note.settling = null; };
  note.onclick = event => {
    const band = event.target.closest('.own');
    if (band && (event.detail > 1 || !getSelection().toString())) choose(band);
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
      choose(bands[Math.max(0, Math.min(bands.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1)))]);
    }
  };
  const place = `${data.shown}:${data.stamp}`;
  if (note.dataset.drawn === place) return;
  note.dataset.drawn = place;
  show(note, data.shown === null ? null : note.querySelector(`.own[data-index="${data.shown}"]`), true);
}
