export default function({ parentElement, data, setTriggerValue }) {
  const note = parentElement.querySelector('.note');
  if (note.dataset.stamp !== data.stamp) {
    note.dataset.stamp = data.stamp;
    const made = data.pieces.map(([kind, index, tile, next, head, text, marks, badge, instead]) => {
      const band = document.createElement('div');
      band.className = `${kind} ${marks}`;
      band.style.setProperty('--tile', tile);
      band.style.setProperty('--next', next);
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
