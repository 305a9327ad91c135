"""Widgets for all pages: buttons with icons, selectors, tables, links to notes, and components."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypedDict, TypeVar
from zlib import crc32

import streamlit as st
from streamlit import container, fragment, rerun, session_state
from streamlit.components.v2.types import ComponentRenderer
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.arrow import DataframeState
from streamlit.elements.lib.column_types import ColumnConfig, ColumnWidth
from streamlit.elements.lib.dialog import DialogPosition, DialogWidth
from streamlit.elements.lib.layout_utils import Width

from core.base.errors import TesseraError
from core.base.frozen import ValueMap, Values, frozen
from core.base.messages import Message, verbatim
from pages.ui.shared.safe import elements, html, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import label_of, small_print, t, text_of, with_note

_OF_CALLBACK = "problem_of_callback"

Place = DeltaGenerator | ModuleType
"""A column, a container, or `st` for the page itself."""

Label = str | Message
"""A label: a string to translate, or a Message, such as a verbatim title."""

Callback = Callable[[], object]
"""A function without arguments, such as one that draws something."""

Option = TypeVar("Option")
Item = TypeVar("Item")


class Binding(TypedDict):
    """Arguments that bind a widget to a value: its key and its callback."""

    key: str
    on_change: Callable[..., None]


def drawn(draw: Callable[..., Item], *values: object, **more: object) -> Item:
    """Call a Streamlit function with arguments of unknown types, and return its result."""
    return draw(*values, **more)


def button(label: Label, key: str, icon: str = "", **more: object) -> bool:
    """Draw a button with a Material icon. Return whether it was pressed.

    A TesseraError in `on_click` is shown as a box. A button that `writes` is disabled in a read-only workspace.
    """
    return _pressable(st.button, label, key, icon, **more)


def submit(label: Label, key: str, icon: str = "", **more: object) -> bool:
    """Draw a form's submit button. Return whether it was pressed."""
    return _pressable(st.form_submit_button, label, key, icon, **more)


def _pressable(draw: Callable[..., bool], label: Label, key: str, icon: str, **more: object) -> bool:
    if icon:
        more["icon"] = f":material/{icon}:"
    label = label_of(label)
    if more.pop("writes", False):
        more["disabled"] = workspace.readonly or more.get("disabled", False)
    if callable(act := more.pop("on_click", None)):
        return draw(label, key=key, on_click=guarded(act), **more)
    # When another message from the browser interrupts a run, Streamlit forgets the press that started it. So the press
    # is remembered until a run reaches its button. The callback doesn't read the session state, because that would
    # interrupt the callback too. A run that is already interrupted ends where it draws the button, without acting.
    waiting = _presses()
    pressed = key in waiting
    draw(label, key=key, on_click=waiting.add, args=(key,), **more)
    if pressed:
        waiting.discard(key)
    return pressed and not more.get("disabled")


def guarded(act: Callable[..., object], key: str = "") -> Callable[..., None]:
    """Wrap a callback so that a TesseraError is shown as a box; Streamlit would show it as a bug.

    If the button's `key` is given, `problem_of` draws the box.
    """

    def callback(*values: object, **named: object) -> None:
        try:
            act(*values, **named)
        except TesseraError as error:
            session_state[f"{_OF_CALLBACK}{key}"] = error

    return callback


def problem_of(key: str) -> None:
    """Draw the error caused by the last click on a button, once."""
    if error := session_state.pop(f"{_OF_CALLBACK}{key}", None):
        problem(error)


def problem(error: TesseraError) -> None:
    """Draw an error as a box."""
    st.error(plain(error), icon=":material/error:")


@contextmanager
def errors() -> Iterator[None]:
    """Draw a TesseraError, and the last callback's error, as boxes. Any other exception is a bug and is passed on."""
    problem_of("")
    try:
        yield
    except TesseraError as error:
        problem(error)


def forget_presses() -> None:
    """Forget presses of buttons that weren't drawn in a complete run."""
    _presses().clear()


def _presses() -> set[str]:
    presses: set[str] = session_state.setdefault("presses", set())
    return presses


def toggled() -> set[str]:
    """Return the names of the parts the user has expanded or collapsed in this session."""
    names: set[str] = session_state.setdefault("toggled", set())
    return names


def toggling(name: str) -> Values:
    """Return button arguments that add a name to `toggled`, or remove it if it is already there.

    The callback doesn't read the session state, for the reason given in `_pressable`.
    """
    return {"on_click": toggled().symmetric_difference_update, "args": ({name},)}


def caption(text: object, icon: str = "", **more: object) -> None:
    """Draw plain text (not Markdown) in small print, preceded by a Material icon if one is given."""
    drawn(st.caption, f":material/{icon}: {plain(text)}" if icon else plain(text), **more)


def warn(text: object, icon: str = "warning") -> None:
    """Draw a warning as plain text (not Markdown)."""
    st.warning(plain(text), icon=f":material/{icon}:")


def group_title(text: Label) -> None:
    """Draw a group title."""
    st.html(f'<div class="t-caption">{html(label_of(text))}</div>')


def small(label: Label, key: str, icon: str, **more: object) -> bool:
    """Draw a borderless button."""
    return button(label, key, icon, type="tertiary", **more)


def close(key: str, about: Label, **more: object) -> None:
    """Draw a cross button for removing or closing something; `about` is its tooltip."""
    small("", key, "close", help=label_of(about), **more)


def download(label: str, data: object, file: str, mime: str, key: str, icon: str, **more: object) -> None:
    """Draw a download button that doesn't rerun the page; `data` may be a function that returns the data."""
    more = {"icon": f":material/{icon}:", "on_click": "ignore", **more}
    drawn(st.download_button, label, data, file, mime, key=key, **more)


def popup(label: Label, icon: str = "", key: str | None = None, **more: object) -> DeltaGenerator:
    """Draw a button with a Material icon that opens a popover."""
    return drawn(st.popover, label_of(label), icon=f":material/{icon}:" if icon else None, key=key, **more)


def count_button(label: Label, count: int, key: str, icon: str, *, disabled: bool, **more: object) -> bool:
    """Draw a button with a count after its label, disabled if the count is 0."""
    label = f"{label_of(label)} · {count:,}" if count > 1 else label
    return button(label, key, icon, disabled=disabled or not count, **more)


def distinct(texts: Mapping[Option, object]) -> Mapping[Option, str]:
    """Render option labels, numbering duplicates because Streamlit identifies options by label."""
    options: dict[str, Option] = {}
    same: Counter[str] = Counter()
    for option, message in texts.items():
        shown = text = text_of(message)
        while shown in options:
            same[text] += 1
            shown = with_note(text, same[text] + 1)
        options[shown] = option
    return {option: shown for shown, option in options.items()}


def select(label: Label, texts: Mapping[Option, object], key: str, **more: object) -> Option:
    """Draw a select box with a label for each option, and return the chosen option."""
    return select_in(st, label, texts, key, **more)


def select_in(place: Place, label: Label, texts: Mapping[Option, object], key: str, **more: object) -> Option:
    """Draw a select box in a column or container, and return the chosen option."""
    more = {"placeholder": "", **more}  # Streamlit's own placeholder is in English
    chosen: Option = _choice(place.selectbox, label, texts, key, **more)
    return chosen


def select_hidden(label: Label, names: Iterable[str], key: str, **more: object) -> str:
    """Draw a select box of names, labelled for screen readers only. The choice survives leaving the page."""
    more |= {"label_visibility": "collapsed", "persist_state": "session"}
    return select(label, {name: name for name in names}, key, **more)


def select_or_type(label: Label, texts: Mapping[str, str], first: str, key: str, help: str | None = None) -> str:
    """Draw a select box that starts with `first` and also accepts a new option typed by the user."""
    index = list(texts).index(first)
    shown = distinct(texts)
    chosen = st.selectbox(
        label_of(label), list(texts), index, lambda name: shown.get(name, name), key, help, accept_new_options=True
    )
    return (chosen or "").strip()


def segments(label: Label, texts: Mapping[Option, object], key: str, **more: object) -> Option:
    """Draw options side by side, exactly one of which is chosen; the label is for screen readers."""
    more = {"required": True, "label_visibility": "collapsed", **more}
    chosen: Option = _choice(st.segmented_control, label, texts, key, **more)
    return chosen


def pills(label: Label, texts: Mapping[Option, object], key: str, **more: object) -> Option | None:
    """Draw options as pills, and return the chosen one, or None. The label is for screen readers."""
    more = {"label_visibility": "collapsed", **more}
    chosen: Option | None = _choice(st.pills, label, texts, key, **more)
    return chosen


def _choice(draw: Callable[..., Item], label: Label, texts: Mapping[Option, object], key: str, **more: object) -> Item:
    """Draw options by their labels, and return what `draw` returns."""
    return draw(label_of(label), list(texts), format_func=distinct(texts).__getitem__, key=key, **more)


def menu(
    label: Label,
    texts: Mapping[str, str],
    key: str,
    icon: str,
    choose: Callable[[str], object],
    *,
    disabled: bool = False,
    type: Literal["secondary", "tertiary"] = "secondary",
) -> None:
    """Draw a button that opens a menu; `choose` is called with the chosen option."""

    @guarded
    def act() -> None:
        if option := session_state[key]:
            choose(option)

    st.menu_button(
        label_of(label),
        list(texts),
        format_func=distinct(texts).__getitem__,
        key=key,
        icon=f":material/{icon}:",
        on_click=act,
        disabled=disabled,
        type=type,
    )


def bound(key: str, value: Option, store: Callable[[Option], object]) -> Binding:
    """Return arguments for a widget that shows a value and stores the user's choice."""
    stored = f"{key}, as stored"
    session_state[key] = session_state[stored] = value

    def changed() -> None:
        # A widget in a closed tab reports its value again, and the user may change the choice back to `value` before
        # the widget is redrawn.
        if (chosen := session_state.get(key, value)) != session_state.get(stored, value):
            session_state[stored] = chosen
            store(chosen)

    return {"key": key, "on_change": guarded(changed)}


def begin_with(key: str, options: Container[object], first: object) -> None:
    """Set a widget to `first` if its current value isn't among the options."""
    if session_state.get(key) not in options:
        session_state[key] = first


def more(left: int) -> None:
    """Draw the number of items omitted from a list, if any."""
    if left > 0:
        small_print("and {n} more", n=left)


def lines(texts: Sequence[str], most: int = 30) -> None:
    """Draw up to `most` strings, one per line, and the number of any remaining ones."""
    st.html(elements(texts[:most]))
    more(len(texts) - most)


def in_columns(items: Sequence[Item], count: int) -> Iterator[tuple[DeltaGenerator, Item]]:
    """Draw rows of columns, and yield each item with its column."""
    for first in range(0, len(items), count):
        yield from zip(st.columns(count), items[first : first + count], strict=False)


def row(key: str | None = None, **more: object) -> DeltaGenerator:
    """Return a row whose elements are vertically centred by default."""
    more = {"vertical_alignment": "center", **more}
    return drawn(container, horizontal=True, key=key, **more)


def halves(key: str) -> Sequence[DeltaGenerator]:
    """Return two columns, which are stacked on narrow screens."""
    with container(key=f"halves_{key}"):
        return st.columns(2, gap="large")


def tabs(contents: Mapping[str, Callback], key: str = "") -> None:
    """Draw tabs with their contents, or only the open tab's contents if `key` is given."""
    more = {"key": key, "on_change": "rerun"} if key else {}
    for tab, draw in zip(drawn(st.tabs, list(contents), **more), contents.values(), strict=True):
        if tab.open is not False:
            with tab:
                draw()


def text_box(label: Label, key: str, **more: object) -> str:
    """Draw a text box with its label as the placeholder, and return the text."""
    more |= {"placeholder": label_of(label), "label_visibility": "collapsed"}
    return drawn(text_input, label, key, **more)


def text_input(label: Label, key: str, value: str = "", **more: object) -> str:
    """Draw a text box with its label above, and return the text."""
    return drawn(st.text_input, label_of(label), value, key=key, **more) or ""


def text_area(label: Label, key: str, value: str = "", **more: object) -> str:
    """Draw a multi-line text box, and return the text."""
    return drawn(st.text_area, label_of(label), value, key=key, **more) or ""


def expander(label: Label, icon: str = "", key: str | None = None, **more: object) -> DeltaGenerator:
    """Draw an expander with a Material icon."""
    return drawn(st.expander, label_of(label), icon=f":material/{icon}:" if icon else None, key=key, **more)


def table(
    rows: Sequence[ValueMap],
    columns: Mapping[str, ColumnConfig | str | None],
    key: str,
    *,
    most: int,
    **more: object,
) -> DataframeState:
    """Draw a table as high as its rows, up to `most` pixels, and return the selection."""
    more |= {"column_config": columns, "height": min(most, 38 + 35 * len(rows)), "hide_index": True}
    draw: Callable[..., DataframeState] = st.dataframe
    return draw(rows, key=key, **more)


def text_column(label: str, width: ColumnWidth | None = None) -> ColumnConfig:
    """Return the configuration of a text column."""
    return st.column_config.TextColumn(text_of(Message(label)), width=width)


def count_column(title: Label, width: ColumnWidth | None = None) -> ColumnConfig:
    """Return the configuration of a whole-number column, formatted as in running text."""
    return st.column_config.NumberColumn(label_of(title), format="localized", width=width)


def chunk_link(
    note_id: str, chunk: int | None, label: str = "", *, help: str | None = None, width: Width = "content"
) -> None:
    """Draw a link to a note's chunks, at one chunk if `chunk` is given."""
    place = {"note": note_id, **({} if chunk is None else {"chunk": str(chunk)})}
    label = label or t("Open in Chunks")
    st.page_link("chunks.py", label=label, icon=":material/splitscreen:", query_params=place, help=help, width=width)


def page_link(page: str, label: Label, icon: str, **address: str) -> None:
    """Draw a link to a page, with query parameters in `address`."""
    st.page_link(page, label=label_of(label), icon=f":material/{icon}:", query_params=address or None)


def base_link(base: str) -> None:
    """Draw a link to a base's notes."""
    page_link("notes.py", "Open notes", "description", base=base)


def note_link(note_id: str, label: str = "", **place: str) -> None:
    """Draw a link to a note, with any further query parameters in `place`."""
    page_link("notes.py", verbatim(plain(label)) if label else t("Read the note"), "description", note=note_id, **place)


def base_filter(bases: Sequence[str], key: str) -> str:
    """Draw the base selector and return the chosen name, or "" for all bases."""
    texts = {"": t("All bases"), **{name: name for name in bases}}
    begin_with(key, texts, "")
    return select("Base", texts, key, persist_state="session")


def on_demand(label: Label, key: str, icon: str, draw: Callback) -> None:
    """Draw an expander as a fragment whose contents are drawn only while it is open."""

    @fragment
    def part() -> None:
        inside = st.expander(label_of(label), icon=f":material/{icon}:", key=key, on_change="rerun")
        if inside.open:
            with inside, errors():
                draw()

    part()


def popover(label: Label, key: str, icon: str, draw: Callback) -> None:
    """Draw a popover as a fragment, so that its contents are redrawn without the rest of the page.

    The contents are drawn even before it is opened. A popover that reports being opened would also report being closed
    by a click on a link; Streamlit would then run the old page, and the new page would stay blank.
    """

    @fragment
    def part() -> None:
        with st.popover(label_of(label), icon=f":material/{icon}:", key=key), errors(), container(key=f"{key}_body"):
            draw()

    part()


# Dialogs: opened in a callback, drawn on the next rerun, and closed by an action or the user.


@frozen
class Dialog:
    """A dialog about a subject. While the dialog is open, its subject is in the session state under `key`."""

    key: str

    @property
    def subject(self) -> Any:
        """The subject, or None while the dialog is closed."""
        return session_state.get(self.key)

    def open(self, subject: object) -> None:
        """Open the dialog on the next rerun. For use in callbacks."""
        session_state[self.key] = subject

    def close(self) -> None:
        """Close the dialog on the next rerun."""
        session_state.pop(self.key, None)

    def draw(
        self, title: str, content: Callback, width: DialogWidth = "small", position: DialogPosition = "center"
    ) -> None:
        """Draw the dialog."""
        st.dialog(title, on_dismiss=self.close, width=width, position=position)(content)()

    def draw_with_button(
        self, label: str, key: str, icon: str, subject: object, content: Callback, **more: object
    ) -> None:
        """Draw a button that opens the dialog, and the dialog if it is open, in a fragment of the page.

        If the dialog is open for another subject, it is closed.
        """

        @fragment
        def part() -> None:
            button(label, key, icon, on_click=partial(self.open, subject), **more)
            if self.subject == subject:
                self.draw(label, content, width="medium")
            else:
                self.close()

        part()

    def confirm(self, title: str, text: str, key: str, act: Callback) -> None:
        """Draw the dialog as a confirmation; `act` performs the deletion."""

        def content() -> None:
            st.write(text)
            with row():
                if button("Delete", f"{key}_yes", "delete", type="primary"):
                    with errors():
                        act()
                        self.close()
                        rerun()
                if button("Cancel", f"{key}_no"):
                    self.close()
                    rerun()

        self.draw(title, content)


# Components: each has a script, and optionally a style sheet, with its name, next to the module that draws it.


def component(name: str, module: str, html: str | None = None, *, before: str = "") -> ComponentRenderer:
    """Register a component from files next to `module`: `note_tree` has `note_tree.js` and optionally `note_tree.css`.

    `before` is a script in the same folder that runs first.
    """
    style, script = (Path(module).with_name(f"{name}{suffix}") for suffix in (".css", ".js"))
    scripts = [script.with_name(before), script] if before else [script]
    return st.components.v2.component(
        name,
        html=html,
        css=style.read_text(encoding="utf-8") if style.exists() else None,
        js="\n".join(path.read_text(encoding="utf-8") for path in scripts),
    )


def stamp(value: object) -> str:
    """Return a short checksum of a value as text."""
    return str(crc32(repr(value).encode("utf-8", "surrogatepass")))


def on_trigger(key: str, name: str, act: Callable[[Any], object]) -> Callable[[], None]:
    """Return a component callback that calls `act` with the value sent by a trigger."""

    def triggered() -> None:
        if (sent := session_state[key][name]) is not None:
            act(sent)

    return triggered


# A button that copies text to the clipboard.

COPY = component("copying", __file__, "<button></button>")


def copy_button(label: Label, text: str, key: str, copied: Callable[[], None] | None = None) -> None:
    """Draw a button that copies text, then changes its label and calls `copied`."""
    data = {"label": label_of(label), "done": t("Copied"), "text": text, "tells": copied is not None}
    COPY(key=key, data=data, width="content", height="content", on_copied_change=copied or (lambda: None))


# What screen readers announce: the number of hits, and the end of a job. Errors are already alerts.

PLACES = (".st-key-chips [data-testid='stCaptionContainer'] p", ".t-done b")
"""Selectors for text that screen readers read aloud when it appears or changes."""

ALOUD = component("aloud", __file__)


def announce() -> None:
    """Have screen readers announce the text at PLACES from now on."""
    ALOUD(key="aloud", data={"places": PLACES})
