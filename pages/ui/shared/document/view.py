"""The component that shows a document's HTML, reports clicks, and scrolls to a place."""

from collections.abc import Callable
from zlib import crc32

import streamlit as st

from core.base.frozen import frozen
from pages.ui.shared.widgets import component

VIEW_ELEMENTS = frozenset(
    "a article b blockquote br circle code del details div em h1 h2 h3 h4 h5 h6 hr img input kbd li mark nav ol p path pre s "
    "section span strong sub summary sup svg table tbody td text th thead tr u ul math mrow mi mo mn ms mtext mspace mfrac "
    "msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mlabeledtr mstyle mpadded mphantom "
    "menclose".split()
)
"""Allowed elements of a document."""
VIEW_ATTRIBUTES = frozenset(
    "alt checked class data-line data-lines data-make data-note data-place data-tag disabled download href id loading open rel src start target "
    "aria-label cx cy d r role viewBox x y title type width display mathvariant stretchy fence separator accent linethickness columnalign rowspacing "
    "columnspacing minsize maxsize movablelimits displaystyle scriptlevel lspace rspace notation form symmetric "
    "largeop".split()
)
"""Allowed attributes of a document's elements."""

VIEW = component("document", __file__, "<div class='document'></div>")


@frozen
class Clicked:
    """A click on a link to a note (`place` in it), a missing note (`make`), a tag, or the checkbox of a line."""

    note_id: str = ""
    place: str = ""
    make: str = ""
    tag: str = ""
    line: int = -1


def show(html: str, key: str, *, place: str = "", arrival: str = "", on_click: Callable[[Clicked], None]) -> None:
    """Draw the HTML of a document, and scroll to `place` once per value of `arrival`."""

    def opened() -> None:
        if (link := st.session_state[key].open) is not None:
            on_click(Clicked(str(link["note"]), str(link["place"])))

    def made() -> None:
        if (target := st.session_state[key].make) is not None:
            on_click(Clicked(make=str(target)))

    def tagged() -> None:
        if (tag := st.session_state[key].tag) is not None:
            on_click(Clicked(tag=str(tag)))

    def ticked() -> None:
        if (line := st.session_state[key].tick) is not None:
            on_click(Clicked(line=int(line)))

    stamp = str(crc32(html.encode("utf-8", "surrogatepass")))
    data = {
        "html": html,
        "elements": sorted(VIEW_ELEMENTS),
        "attributes": sorted(VIEW_ATTRIBUTES),
        "stamp": stamp,
        "place": place,
        "arrival": arrival,
    }
    VIEW(
        key=key,
        data=data,
        on_open_change=opened,
        on_make_change=made,
        on_tag_change=tagged,
        on_tick_change=ticked,
    )
