"""Widgets for all pages, such as buttons with icons, selectors, tables, links to notes, and components."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, TypedDict, TypeVar, TypeVarTuple
from zlib import crc32

import streamlit as st
from streamlit import container, fragment, rerun, session_state
from streamlit.components.v2.types import ComponentRenderer
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.arrow import DataframeState
from streamlit.elements.lib.column_types import ColumnConfig, ColumnWidth
from streamlit.elements.lib.dialog import DialogPosition, DialogWidth

from core.base.errors import TesseraError
from core.base.frozen import TextMap, ValueMap, frozen
from core.base.messages import Message, verbatim
from pages.ui.shared.names import why_locked
from pages.ui.shared.safe import elements, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import label_of, small_print, t, text_of, with_note

_OF_CALLBACK = "problem_of_callback"

# The place to draw a widget in: a column, a container, or `st` for the page itself.
Place = DeltaGenerator | ModuleType
# A widget's label: a string to translate, or a Message, such as a verbatim title.
Label = str | Message
# A function without arguments, such as one that draws a dialog's contents.
Callback = Callable[[], object]
# A function that handles a click.
Action = Callable[..., object]

Option = TypeVar("Option")
Item = TypeVar("Item")
Taken = TypeVarTuple("Taken")


class Binding(TypedDict):
    """Arguments that bind a widget to a value: the widget's key and its callback."""

    key: str
    on_change: Callable[..., None]


def drawn(draw: Callable[..., Item], *values: object, **more: object) -> Item:
    """Call a Streamlit function with arguments whose types aren't checked, and return its result."""
    return draw(*values, **more)


def button(
    label: Label,
    key: str,
    icon: str = "",
    act: Callable[[*Taken], object] | None = None,
    /,
    *values: *Taken,
    **more: object,
) -> bool:
    """Draw a button with a Material icon. Return whether it was pressed.

    If `act` is given, a click calls it with `values`. If `act` raises a TesseraError, the error is shown in a box. If
    `writes` is True, the button is disabled in a read-only workspace. `help` is its tooltip, which is translated.
    `disabled` can be a string that says why the button is disabled, which then is its tooltip. If the string is empty,
    the button is enabled. By default, the tooltip of a disabled button gives the reason why notes are locked.
    """
    return _pressable(st.button, label, key, icon, act, values, **more)


def submit(label: Label, key: str, icon: str = "", **more: object) -> bool:
    """Draw a form's submit button. Return whether it was pressed."""
    return _pressable(st.form_submit_button, label, key, icon, None, (), **more)


def _pressable(
    draw: Callable[..., bool], label: Label, key: str, icon: str, act: Action | None, values: object, **more: object
) -> bool:
    if icon:
        more["icon"] = f":material/{icon}:"
    label = label_of(label)
    why = (more.pop("writes", False) and workspace.readonly) or more.get("disabled")
    more["disabled"] = bool(why)
    if about := (why and (why_locked() if why is True else why)) or more.get("help"):
        more["help"] = label_of(about)
    if act:
        return draw(label, key=key, on_click=guarded(act), args=values, **more)
    # If another message from the browser interrupts a run, Streamlit forgets the press that started the run. Remember
    # the press here until a run reaches its button. The callback doesn't read the session state, because it could then
    # be interrupted as well. A run that has been interrupted ends when it draws the button, before acting on the press.
    waiting = _presses()
    pressed = key in waiting
    draw(label, key=key, on_click=waiting.add, args=(key,), **more)
    if pressed:
        waiting.discard(key)
    return pressed and not more.get("disabled")


def guarded(act: Action, key: str = "") -> Callable[..., None]:
    """Wrap a callback so that a TesseraError is shown in a box. Streamlit would show it as a crash.

    The box is drawn by `errors`, or by `problem_of` if the button's `key` is given.
    """

    def callback(*values: object, **named: object) -> None:
        try:
            act(*values, **named)
        except TesseraError as error:
            session_state[f"{_OF_CALLBACK}{key}"] = error

    return callback


def problem_of(key: str) -> None:
    """Draw the error raised by the last click on a button, if any. It is drawn only once."""
    if error := session_state.pop(f"{_OF_CALLBACK}{key}", None):
        problem(error)


def problem(error: TesseraError) -> None:
    """Show an error in a box."""
    st.error(plain(error), icon=":material/error:")


@contextmanager
def errors() -> Iterator[None]:
    """Show a TesseraError raised in the `with` block, and the last error from a callback, in boxes.

    Any other exception is a bug and isn't caught.
    """
    problem_of("")
    try:
        yield
    except TesseraError as error:
        problem(error)


def forget_presses() -> None:
    """Forget the presses of buttons that the page no longer shows. Use this at the end of a complete run."""
    _presses().clear()


def _presses() -> set[str]:
    presses: set[str] = session_state.setdefault("presses", set())
    return presses


def toggled() -> set[str]:
    """Return the names of the sections that the user has toggled in this session, away from their initial state."""
    names: set[str] = session_state.setdefault("toggled", set())
    return names


def toggling(name: str) -> Callback:
    """Return a function that toggles the section `name` by adding it to `toggled` or removing it.

    The callback doesn't read the session state, for the reason given in `_pressable`.
    """
    return partial(toggled().symmetric_difference_update, {name})


def caption(text: object, icon: str = "", **more: object) -> None:
    """Draw plain text (not Markdown) in small print, after a Material icon if one is given."""
    drawn(st.caption, f":material/{icon}: {plain(text)}" if icon else plain(text), **more)


def warn(text: object, icon: str = "warning") -> None:
    """Draw a warning as plain text (not Markdown)."""
    st.warning(plain(text), icon=f":material/{icon}:")


def paragraph(text: object, css: str, tag: str = "div", **more: object) -> None:
    """Draw plain text (not Markdown) as an HTML element with a CSS class."""
    drawn(st.html, elements([text], tag, css), **more)


def code(text: str, language: str | None = None, **more: object) -> None:
    """Show text as it is, in a box whose contents can be copied. Long lines are wrapped."""
    drawn(st.code, text, language, wrap_lines=True, **more)


def group_title(text: Label) -> None:
    """Draw a small title above a group of elements."""
    paragraph(label_of(text), "t-caption")


def small(
    label: Label, key: str, icon: str, act: Callable[[*Taken], object] | None = None, /, *values: *Taken, **more: object
) -> bool:
    """Draw a borderless button. Return whether it was pressed."""
    return button(label, key, icon, act, *values, type="tertiary", **more)


def close(key: str, about: Label, act: Callable[[*Taken], object], *values: *Taken, **more: object) -> None:
    """Draw a button with a cross, for closing or removing something. `about` is its tooltip."""
    small("", key, "close", act, *values, help=about, **more)


def download(label: str, data: object, file: str, mime: str, key: str, icon: str, **more: object) -> None:
    """Draw a download button that doesn't rerun the page. `data` can be a function that returns the data."""
    more = {"icon": f":material/{icon}:", "on_click": "ignore", **more}
    drawn(st.download_button, label, data, file, mime, key=key, **more)


def _opening(
    draw: Callable[..., DeltaGenerator], label: Label, icon: str = "", key: str | None = None, **more: object
) -> DeltaGenerator:
    """Draw an element that the user opens, with a Material icon, and return it, to be filled by the caller."""
    return draw(label_of(label), icon=f":material/{icon}:" if icon else None, key=key, **more)


# Draw a button that opens a popover.
popup = partial(_opening, st.popover)
# Draw an expander.
expander = partial(_opening, st.expander)


def count_button(label: Label, count: int, key: str, icon: str, *, disabled: bool | str, **more: object) -> bool:
    """Draw a button with a count after its label if the count is above 1. The button is disabled if the count is 0."""
    label = f"{label_of(label)} · {count:,}" if count > 1 else label
    return button(label, key, icon, disabled=disabled or not count, **more)


def distinct(texts: Mapping[Option, object]) -> Mapping[Option, str]:
    """Render the labels of options. Duplicates are numbered, because Streamlit identifies options by their labels."""
    options: dict[str, Option] = {}
    same: Counter[str] = Counter()
    for option, title in texts.items():
        shown = text = text_of(title)
        while shown in options:
            same[text] += 1
            shown = with_note(text, same[text] + 1)
        options[shown] = option
    return {option: shown for shown, option in options.items()}


def select(label: Label, texts: Mapping[Option, object], key: str, **more: object) -> Option:
    """Draw a select box and return the chosen option. `texts` maps options to their labels."""
    return select_in(st, label, texts, key, **more)


def select_in(place: Place, label: Label, texts: Mapping[Option, object], key: str, **more: object) -> Option:
    """Draw a select box in `place`, and return the chosen option. `texts` maps options to their labels."""
    more = {"placeholder": "", **more}  # Streamlit's own placeholder is in English
    chosen: Option = _choice(place.selectbox, label, texts, key, **more)
    return chosen


def select_hidden(label: Label, names: Iterable[str], key: str, **more: object) -> str:
    """Draw a select box of names, with a label only for screen readers. Return the chosen name.

    The choice is kept when the user leaves the page.
    """
    more |= {"label_visibility": "collapsed", "persist_state": "session"}
    return select(label, {name: name for name in names}, key, **more)


def select_or_type(label: Label, texts: TextMap, first: str, key: str, help: str | None = None) -> str:
    """Draw a select box that starts with `first`. Return the chosen option, which may be new text typed by the user."""
    index = list(texts).index(first)
    shown = distinct(texts)
    chosen = st.selectbox(
        label_of(label), list(texts), index, lambda name: shown.get(name, name), key, help, accept_new_options=True
    )
    return (chosen or "").strip()


def segments(label: Label, texts: Mapping[Option, object], key: str, **more: object) -> Option:
    """Draw options side by side, and return the chosen option. The label is only for screen readers by default."""
    more = {"required": True, "label_visibility": "collapsed", **more}
    chosen: Option = _choice(st.segmented_control, label, texts, key, **more)
    return chosen


def pills(label: Label, texts: Mapping[Option, object], key: str, **more: object) -> Option | None:
    """Draw options as pills, and return the chosen option, or None. The label is only for screen readers."""
    more = {"label_visibility": "collapsed", **more}
    chosen: Option | None = _choice(st.pills, label, texts, key, **more)
    return chosen


def _choice(draw: Callable[..., Item], label: Label, texts: Mapping[Option, object], key: str, **more: object) -> Item:
    """Call `draw` with the options and their labels, and return its result."""
    return draw(label_of(label), list(texts), format_func=distinct(texts).__getitem__, key=key, **more)


def menu(label: Label, texts: ValueMap, key: str, icon: str, choose: Callable[[str], object], **more: object) -> None:
    """Draw a button that opens a menu. When the user chooses an option, `choose` is called with it."""

    @guarded
    def act() -> None:
        if option := session_state[key]:
            choose(option)

    _choice(st.menu_button, label, texts, key, icon=f":material/{icon}:", on_click=act, **more)


def bound(key: str, value: Option, store: Callable[[Option], object]) -> Binding:
    """Return arguments for a widget that shows `value`. If the user changes it, `store` gets the new value."""
    stored = f"{key}, as stored"
    session_state[key] = session_state[stored] = value

    def changed() -> None:
        # Compare with the last stored value. A widget in a closed tab reports its value again, and the user may change
        # the value back before the widget is redrawn.
        if (chosen := session_state.get(key, value)) != session_state.get(stored, value):
            session_state[stored] = chosen
            store(chosen)

    return {"key": key, "on_change": guarded(changed)}


def begin_with(key: str, options: Container[object], first: object) -> None:
    """Set a widget to `first` if its current value isn't among the options."""
    if session_state.get(key) not in options:
        session_state[key] = first


def more(left: int) -> None:
    """Draw a line saying that `left` more items were left out of a list. If `left` isn't positive, draw nothing."""
    if left > 0:
        small_print("and {n} more", n=left)


def lines(texts: Sequence[str], most: int = 30) -> None:
    """Show up to `most` strings, one per line, followed by the number of strings left out, if any."""
    st.html(elements(texts[:most]))
    more(len(texts) - most)


def in_columns(items: Sequence[Item], count: int) -> Iterator[tuple[DeltaGenerator, Item]]:
    """Draw rows with `count` columns each, and yield each item with its column."""
    for first in range(0, len(items), count):
        yield from zip(st.columns(count), items[first : first + count], strict=False)


def row(key: str | None = None, **more: object) -> DeltaGenerator:
    """Return a container that puts its elements in a row. They are vertically centred by default."""
    more = {"vertical_alignment": "center", **more}
    return drawn(container, horizontal=True, key=key, **more)


def frame(key: str, **more: object) -> DeltaGenerator:
    """Return a container with a border."""
    return drawn(container, border=True, key=key, **more)


def form(key: str) -> DeltaGenerator:
    """Return a form without a border."""
    return st.form(key, border=False)


def halves(key: str) -> Sequence[DeltaGenerator]:
    """Return two columns, which are stacked on narrow screens."""
    with container(key=f"halves_{key}"):
        return st.columns(2, gap="large")


def tabs(contents: Mapping[str, Callback], key: str = "") -> None:
    """Draw tabs with their contents. If `key` is given, only the contents of the open tab are drawn."""
    more = {"key": key, "on_change": "rerun"} if key else {}
    for tab, draw in zip(drawn(st.tabs, list(contents), **more), contents.values(), strict=True):
        if tab.open is not False:
            with tab:
                draw()


def text_box(label: Label, key: str, **more: object) -> str:
    """Draw a text box with its label as the placeholder, and return the text."""
    more |= {"placeholder": label_of(label), "label_visibility": "collapsed"}
    return drawn(text_input, label, key, **more)


def _typed(draw: Callable[..., str | None], label: Label, key: str, value: str = "", **more: object) -> str:
    """Draw a text box with its label above, and return the text."""
    return draw(label_of(label), value, key=key, **more) or ""


# Draw a text box for one line.
text_input = partial(_typed, st.text_input)
# Draw a text box for several lines.
text_area = partial(_typed, st.text_area)


def table(
    rows: Sequence[ValueMap], columns: Mapping[str, ColumnConfig | str | None], key: str, *, most: int, **more: object
) -> DataframeState:
    """Draw a table and return its selection. The table is as high as its rows, but at most `most` pixels."""
    more |= {"column_config": columns, "height": min(most, 38 + 35 * len(rows)), "hide_index": True}
    draw: Callable[..., DataframeState] = st.dataframe
    return draw(rows, key=key, **more)


def text_column(label: str, width: ColumnWidth | None = None) -> ColumnConfig:
    """Return the configuration for a table column of text."""
    return st.column_config.TextColumn(label_of(label), width=width)


def count_column(title: Label, width: ColumnWidth | None = None) -> ColumnConfig:
    """Return the configuration for a table column of whole numbers, which are formatted for the user's locale."""
    return st.column_config.NumberColumn(label_of(title), format="localized", width=width)


def chunk_link(note_id: str, chunk: int | None, label: str = "", **more: str) -> None:
    """Draw a link to a note on the Chunks page. If `chunk` is given, the link selects the chunk with that index."""
    if chunk is not None:
        more["chunk"] = str(chunk)
    page_link("chunks.py", verbatim(label or t("Open in Chunks")), "splitscreen", note=note_id, **more)


def page_link(
    page: str, label: Label, icon: str = "", *, help: str | None = None, width: str = "content", **address: str
) -> None:
    """Draw a link to a page. `address` has the query parameters."""
    sign = f":material/{icon}:" if icon else None
    drawn(st.page_link, page, label=label_of(label), icon=sign, query_params=address or None, help=help, width=width)


def titled_link(page: str, title: str, icon: str = "", **address: str) -> None:
    """Draw a link to a page like `page_link`, with plain text (not Markdown) as its label."""
    page_link(page, verbatim(plain(title)), icon, **address)


def base_link(base: str) -> None:
    """Draw a link to a base's notes on the Notes page."""
    page_link("notes.py", "Open notes", "description", base=base)


def note_link(note_id: str, label: str = "", **place: str) -> None:
    """Draw a link to a note on the Notes page. `place` has any other query parameters, such as the chunk."""
    page_link("notes.py", verbatim(plain(label)) if label else t("Read the note"), "description", note=note_id, **place)


def base_filter(bases: Sequence[str], key: str) -> str:
    """Draw the base selector and return the chosen name, or "" for all bases."""
    texts = {"": t("All bases"), **{name: name for name in bases}}
    begin_with(key, texts, "")
    return select("Base", texts, key, persist_state="session")


def on_demand(label: Label, key: str, icon: str, draw: Callback) -> None:
    """Draw an expander as a fragment. `draw` draws its contents, and is called only while the expander is open."""

    @fragment
    def part() -> None:
        inside = st.expander(label_of(label), icon=f":material/{icon}:", key=key, on_change="rerun")
        if inside.open:
            with inside, errors():
                draw()

    part()


def popover(label: Label, key: str, icon: str, draw: Callback) -> None:
    """Draw a popover as a fragment, so that its contents can be redrawn without the rest of the page.

    The contents are drawn even while the popover is closed. A popover that reports being opened also reports being
    closed by a click on a link. Streamlit would then run the old page, and the new page would stay blank.
    """

    @fragment
    def part() -> None:
        with st.popover(label_of(label), icon=f":material/{icon}:", key=key), errors(), container(key=f"{key}_body"):
            draw()

    part()


# Dialogs. They are opened in a callback, drawn on the next rerun, and closed by an action or by the user.


@frozen
class Dialog:
    """A dialog about a subject, such as a note's id.

    While the dialog is open, its subject is stored in the session state under `key`.
    """

    key: str

    @property
    def subject(self) -> Any:
        """The dialog's subject, or None if the dialog is closed."""
        return session_state.get(self.key)

    def open(self, subject: object) -> None:
        """Open the dialog about `subject` on the next rerun. Use this in callbacks."""
        session_state[self.key] = subject

    def close(self) -> None:
        """Close the dialog on the next rerun."""
        session_state.pop(self.key, None)

    def finish(self) -> None:
        """Close the dialog and rerun the page. Use this at the end of the dialog's action."""
        self.close()
        rerun()

    def draw(
        self, title: str, content: Callback, width: DialogWidth = "small", position: DialogPosition = "center"
    ) -> None:
        """Draw the dialog. `content` draws its contents. Call this only while the dialog is open."""
        st.dialog(title, on_dismiss=self.close, width=width, position=position)(content)()

    def draw_with_button(
        self, label: str, key: str, icon: str, subject: object, content: Callback, **more: object
    ) -> None:
        """Draw a button that opens the dialog about `subject`, and the dialog itself if it is open.

        Both are drawn in a fragment. If the dialog is open for another subject, it is closed.
        """

        @fragment
        def part() -> None:
            button(label, key, icon, self.open, subject, **more)
            if self.subject == subject:
                self.draw(label, content, width="medium")
            else:
                self.close()

        part()

    def confirm(self, title: str, text: str, key: str, act: Callback) -> None:
        """Draw a dialog that asks the user to confirm a deletion. `act` is called if they do."""

        def content() -> None:
            st.write(text)
            with row():
                if button("Delete", f"{key}_yes", "delete", type="primary"):
                    with errors():
                        act()
                        self.finish()
                if button("Cancel", f"{key}_no"):
                    self.finish()

        self.draw(title, content)


# Components. Next to the module that draws a component are its script and an optional style sheet with its name.


def component(name: str, module: str, html: str | None = None, *, before: str = "") -> ComponentRenderer:
    """Register a Streamlit component from the files next to `module`.

    For the name `note_tree`, these are `note_tree.js` and optionally `note_tree.css`. `before` is the file name of a
    script that runs first.
    """
    folder = Path(module).parent
    style = folder / f"{name}.css"
    scripts = filter(None, (before, f"{name}.js"))
    return st.components.v2.component(
        name,
        html=html,
        css=style.read_text(encoding="utf-8") if style.exists() else None,
        js="\n".join((folder / script).read_text(encoding="utf-8") for script in scripts),
    )


def stamp(value: object) -> str:
    """Return a short checksum of a value, as a string. It changes when the value changes."""
    return str(crc32(repr(value).encode("utf-8", "surrogatepass")))


def on_trigger(key: str, name: str, act: Callable[[Any], object]) -> Callable[[], None]:
    """Return a callback for the component `key` that calls `act` with the value sent by the trigger `name`."""

    def triggered() -> None:
        if (sent := session_state[key][name]) is not None:
            act(sent)

    return triggered


# A button that copies text to the clipboard.

COPY = component("copying", __file__, "<button></button>")


def copy_button(label: Label, text: str, key: str, copied: Callable[[], None] | None = None) -> None:
    """Draw a button that copies text to the clipboard. It then changes its label and calls `copied`."""
    data = {"label": label_of(label), "done": t("Copied"), "text": text, "tells": copied is not None}
    COPY(key=key, data=data, width="content", height="content", on_copied_change=copied or (lambda: None))


# CSS selectors for text that screen readers announce when it changes. Error boxes are announced anyway.
PLACES = (".st-key-chips [data-testid='stCaptionContainer'] p", ".t-done b")

ALOUD = component("aloud", __file__)


def announce() -> None:
    """Draw the component that makes screen readers announce the text that matches PLACES."""
    ALOUD(key="aloud", data={"places": PLACES})
