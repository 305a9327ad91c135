const SRC = /^([/]attachment[/]|data:image[/](png|jpe?g|gif|webp|bmp|avif);base64,[a-z0-9+/]+={0,2}$)/i;
const HREF = /^(https?:|mailto:|[?]note=|#$|[/]attachment[/])/i;

// What the generator never writes is left out here once more; nothing is fetched while it is read.
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

export default function({ parentElement, data, setTriggerValue }) {
  const page = parentElement.querySelector('.document');
  if (page.dataset.stamp !== data.stamp) {
    page.dataset.stamp = data.stamp;
    page.replaceChildren(...read(data));
    const outline = page.querySelector('nav details');
    if (outline) outline.open = page.clientWidth >= 54 * 16;
  }
  const show = (id, again) => {
    const place = id && page.querySelector('#' + CSS.escape(id));
    if (!place) return;
    for (let box = place.closest('details:not([open])'); box; box = box.parentElement.closest('details:not([open])')) box.open = true;
    if (!again) page.querySelectorAll('.at').forEach(one => one.classList.remove('at'));
    place.classList.add('at');
    place.scrollIntoView({ block: 'start' });
  };
  page.onclick = event => {
    const box = event.target.closest('input[data-line]');
    if (box) { // it is ticked when the note is
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
  // What is drawn above moves it: pictures and formulas take their height a moment later.
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
