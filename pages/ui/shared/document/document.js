const SRC = /^([/]attachment[/]|data:image[/](png|jpe?g|gif|webp|bmp|avif);base64,[a-z0-9+/]+={0,2}$)/i;
const HREF = /^(https?:|mailto:|[?]note=|#$|[/]attachment[/])/i;

// Remove everything that the generator never writes, as a second check; nothing is fetched during parsing.
const read = data => {
  const elements = new Set(data.elements), attributes = new Set(data.attributes);
  const { body } = new DOMParser().parseFromString(data.html, 'text/html');
  for (const one of body.querySelectorAll('*')) {
    if (!elements.has(one.localName)) one.remove();
    for (const name of one.getAttributeNames()) {
      const value = one.getAttribute(name);
      if (!attributes.has(name) || (name === 'href' && !HREF.test(value)) || (name === 'src' && !SRC.test(value)))
        one.removeAttribute(name);
    }
  }
  for (const box of body.querySelectorAll('input')) box.ariaLabel = box.parentElement.textContent.trim().split('\n', 1)[0];
  return [...body.childNodes];
};

// The outline next to the text is open and highlights the section in view: the last one that begins above LINE.
const LINE = 96;
const top = place => place.getBoundingClientRect().top;
const followOutline = page => {
  page.outline?.abort();
  const { signal } = page.outline = new AbortController();
  const nav = page.querySelector('nav');
  if (!nav) return;
  const placeOf = link => page.querySelector('#' + CSS.escape(link.dataset.place));
  const links = [...nav.querySelectorAll('a')].filter(placeOf), places = links.map(placeOf);
  let isBeside = null, marked = null, chosen = null;
  const inView = () => {
    // A section near the end can't scroll up as far as LINE after a click on its link.
    if (chosen && Math.abs(top(chosen.place) - chosen.top) < 2) return places.indexOf(chosen.place);
    chosen = null;
    const line = page.querySelector('article').getBoundingClientRect().bottom <= innerHeight ? innerHeight : LINE;
    return Math.max(places.findLastIndex(place => place.getClientRects().length && top(place) <= line), 0);
  };
  const mark = () => {
    if (!page.isConnected) { page.outline.abort(); return; }
    const link = links[inView()];
    if (!link || link === marked) return;
    marked?.removeAttribute('aria-current');
    marked = link;
    link.setAttribute('aria-current', 'location');
    const { top: upper, bottom: lower } = nav.getBoundingClientRect(), box = link.getBoundingClientRect();
    if (box.bottom > lower) nav.scrollTop += box.bottom - lower;
    else if (box.top < upper) nav.scrollTop -= upper - box.top;
  };
  const fit = () => {
    const now = getComputedStyle(page.querySelector('.beside')).display === 'grid';
    if (now !== isBeside) nav.querySelector('details').open = isBeside = now;
    mark();
  };
  const sizes = new ResizeObserver(fit);
  sizes.observe(page);
  signal.addEventListener('abort', () => sizes.disconnect());
  document.addEventListener('scroll', mark, { signal, capture: true, passive: true });
  page.addEventListener('shown', ({ detail }) => {
    const place = places.find(one => one.id === detail);
    chosen = place && { place, top: top(place) };
    mark();
  }, { signal });
  fit();
};

export default function({ parentElement, data, setTriggerValue }) {
  const page = parentElement.querySelector('.document');
  if (page.dataset.stamp !== data.stamp) {
    page.dataset.stamp = data.stamp;
    page.replaceChildren(...read(data));
    followOutline(page);
  }
  const show = (id, again) => {
    const place = id && page.querySelector('#' + CSS.escape(id));
    if (!place) return;
    for (let box = place.closest('details:not([open])'); box; box = box.parentElement.closest('details:not([open])')) box.open = true;
    if (!again) page.querySelectorAll('.at').forEach(one => one.classList.remove('at'));
    place.classList.add('at');
    place.scrollIntoView({ block: 'start' });
    page.dispatchEvent(new CustomEvent('shown', { detail: id }));
  };
  page.onclick = event => {
    const box = event.target.closest('input[data-line]');
    if (box) { // ticked once the note has changed
      event.preventDefault();
      setTriggerValue('tick', Number(box.dataset.line));
      return;
    }
    const link = event.target.closest('a');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.matches('.outside, .picture, .file')) return;
    event.preventDefault();
    const { note, place, make, tag } = link.dataset;
    if (note) setTriggerValue('open', { note, place: place || '' });
    else if (tag) setTriggerValue('tag', tag);
    else if (make) setTriggerValue('make', make);
    else show(place);
  };
  if (page.dataset.arrival === data.arrival) return;
  page.dataset.arrival = data.arrival;
  if (!data.place) {
    if (page.getBoundingClientRect().top < 0) page.scrollIntoView({ block: 'start' });
    return;
  }
  // Elements above still move it: pictures and formulas get their final height a moment later.
  const until = performance.now() + 1500;
  const stop = new AbortController();
  const scroll = () => {
    if (stop.signal.aborted) return;
    show(data.place, true);
    if (performance.now() < until) setTimeout(scroll, 150);
  };
  for (const event of ['wheel', 'keydown', 'pointerdown'])
    document.addEventListener(event, () => stop.abort(), { signal: stop.signal, capture: true });
  scroll();
}
