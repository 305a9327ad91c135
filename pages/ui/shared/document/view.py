"""The component that shows a document: it puts in the HTML that `document` made, takes clicks on links, scrolls to a place."""

from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

import streamlit as st

from pages.ui.shared.document import style

VIEW_ELEMENTS = frozenset(
    "a article b blockquote br code del details div em h1 h2 h3 h4 h5 h6 hr img input kbd li mark nav ol p pre s "
    "section span strong sub summary sup table tbody td th thead tr u ul math mrow mi mo mn ms mtext mspace mfrac "
    "msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mlabeledtr mstyle mpadded mphantom "
    "menclose".split()
)
"""The elements of a document."""
VIEW_ATTRIBUTES = frozenset(
    "alt checked class data-make data-note data-place disabled download href id loading open rel src start target "
    "title type width display mathvariant stretchy fence separator accent linethickness columnalign rowspacing "
    "columnspacing minsize maxsize movablelimits displaystyle scriptlevel lspace rspace notation form symmetric "
    "largeop".split()
)
"""The attributes of a document's elements."""

VIEW = st.components.v2.component(
    "document",
    html="<div class='document'></div>",
    css=style.STYLE,
    js="""
const ELEMENTS = new Set(_ELEMENTS_.split(' ')), ATTRIBUTES = new Set(_ATTRIBUTES_.split(' '));
const HREF = /^(https?:|mailto:|[?]note=|#$|[/]attachment[/])/i;

// What the generator never writes is left out here once more; nothing is fetched while it is read.
const read = html => {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const one of [...body.querySelectorAll('*')]) {
    if (!ELEMENTS.has(one.localName)) one.remove();
    for (const { name, value } of [...one.attributes])
      if (!ATTRIBUTES.has(name) || (name === 'href' && !HREF.test(value)) || (name === 'src' && !value.startsWith('/attachment/')))
        one.removeAttribute(name);
  }
  return [...body.childNodes];
};

export default function({ parentElement, data, setTriggerValue }) {
  const page = parentElement.querySelector('.document');
  if (page.dataset.stamp !== data.stamp) {
    page.dataset.stamp = data.stamp;
    page.replaceChildren(...read(data.html));
    const outline = page.querySelector('nav details');
    if (outline) outline.open = page.clientWidth > 992;
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
    const link = event.target.closest('a');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.matches('.outside, .picture, .file')) return;
    event.preventDefault();
    const { note, place, make } = link.dataset;
    if (note) setTriggerValue('open', { note, place: place || '' });
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
""".replace("_ELEMENTS_", repr(" ".join(sorted(VIEW_ELEMENTS)))).replace(
        "_ATTRIBUTES_", repr(" ".join(sorted(VIEW_ATTRIBUTES)))
    ),
)


@dataclass(frozen=True, slots=True)
class Clicked:
    """A link that was clicked: to a note and a place in it, or to a note that isn't there."""

    note_id: str = ""
    place: str = ""
    make: str = ""


def show(html: str, key: str, *, place: str = "", arrival: str = "", on_click: Callable[[Clicked], None]) -> None:
    """Draw the HTML of a document, and scroll to a place of it once for each `arrival`."""

    def opened() -> None:
        if (link := st.session_state[key].open) is not None:
            on_click(Clicked(str(link["note"]), str(link["place"])))

    def made() -> None:
        if (target := st.session_state[key].make) is not None:
            on_click(Clicked(make=str(target)))

    stamp = str(crc32(html.encode("utf-8", "surrogatepass")))
    data = {"html": html, "stamp": stamp, "place": place, "arrival": arrival}
    VIEW(key=key, data=data, on_open_change=opened, on_make_change=made)
