"""Widgets for the settings in `tessera.toml`, which show where each value comes from, and the text of the file."""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st
from streamlit import session_state

from core.base.messages import message
from core.model import DEFAULTS, PARTS, ConverterCard, ProgramSetting
from pages.ui.notes import today
from pages.ui.shared import knobs, language_and_look, names, widgets
from pages.ui.shared.knobs import value_label
from pages.ui.shared.safe import html, plain
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t, t_plural, text_of, with_label
from pages.ui.shared.widgets import (
    Callback,
    Option,
    bound,
    button,
    caption,
    errors,
    expander,
    on_demand,
    row,
    small,
    text_area,
    warn,
)

# Default search settings.

# Search settings that are always visible. The rest are collapsed.
FIRST = ("mode", "limit")


def search() -> None:
    """Show the default search settings, which a base or a single search can override."""
    small_print("These are the defaults for every search. A base or a single search can override them.")
    for name in FIRST:
        _part(name)
    with expander("Advanced", "tune", "search_advanced"):
        for name in PARTS:
            if name not in FIRST:
                _part(name)
    clicks = workspace.clicks
    switch(
        "search.record_uses",
        t("Record how notes are found and used"),
        "record_uses",
        workspace.uses.enabled,
        workspace.uses.enable,
        t(
            "Records which notes are found, opened, quoted or read by programs, and for which questions. The records "
            "stay in this workspace, and each note shows its own figures."
        ),
    )
    switch(
        "search.use_clicks",
        t("Rank hits higher if you opened, copied or cited them before"),
        "use_clicks",
        clicks.enabled,
        clicks.enable,
        t(
            "What you open, copy or cite ranks a little higher the next time you ask something similar. The effect "
            "fades month by month. While this is on, Tessera records the note, the question, what you did and the "
            "day. The records stay in this workspace."
        ),
    )
    if count := len(clicks.all()):
        st.caption(t_plural("{n} click recorded", "{n} clicks recorded", n=count))
        small("Clear all clicks", "forget_clicks", "delete", clicks.forget, writes=True)


def _part(name: str) -> None:
    offered = knobs.WAYS if name == "mode" else ()
    draw: Callable[..., object] = partial(knobs.draw, name, offered=offered)
    if name == "reranker":
        texts = {value: value_label(name, value) for value in knobs.values(name)}
        draw = partial(select, knobs.setting_label(name), texts, label_of=partial(value_label, name))
    field(f"search.{name}", draw, type(getattr(DEFAULTS, name)))


def select(
    label: str, texts: Mapping[Option, str], label_of: Callable[[Option], str] = str, *, key: str, **more: object
) -> None:
    """Draw a select box. If the current value isn't among `texts`, it is offered as well, labelled by `label_of`."""
    chosen = session_state[key]
    widgets.select(label, {**texts, chosen: texts.get(chosen, label_of(chosen))}, key, **more)


# Note types and their categories, which are stored in a file that the user can edit.

VOCABULARY = "vocabulary"


def draw_vocabulary() -> None:
    """Draw an editor for the file with the note types, and any problems found in its lines."""
    vocabulary = workspace.vocabulary
    language = session_state["language"]
    vocabulary.begin(language)
    session_state.setdefault(VOCABULARY, vocabulary.text())

    def save() -> None:
        vocabulary.write(session_state[VOCABULARY])
        st.toast(t("The types were saved."))

    def fill(text: str) -> None:
        session_state[VOCABULARY] = text

    small_print(
        'One type per line, followed by ":" and its categories, separated by commas. Types and categories are '
        "offered when you edit a note's fields, where you can also type any other word."
    )
    text_area("Types of notes and their categories", VOCABULARY, height=320, disabled=workspace.readonly)
    unchanged = session_state[VOCABULARY] == vocabulary.text() and t("Nothing has been changed yet.")
    with row():
        button("Save", "vocabulary_save", "save", save, type="primary", writes=True, disabled=unchanged)
        if not unchanged:
            button("Discard", "vocabulary_discard", "undo", fill, vocabulary.text())
        for name, title in vocabulary.presets.items():
            small(
                title,
                f"preset_{name}",
                "style",
                fill,
                vocabulary.preset(name, language),
                help="Puts these types into the field above. Nothing is stored until you save.",
                writes=True,
            )
    for problem in vocabulary.problems():
        warn(problem)
    caption(t("Stored in {file}.", file=str(vocabulary.path)))


# Documents: the toggle for importing web pages, and the converters.


def draw_documents() -> None:
    """Draw the toggle for importing web pages, and the list of converters."""
    small_print(
        "Tessera loads a web page only when you type its address. It then sends a single request and loads nothing "
        "that the page links to. Nothing else in your notes makes Tessera go online."
    )
    st.toggle(
        t("Import web pages by their address"),
        disabled=workspace.readonly,
        **bound("web_pages", workspace.documents.asks_web, workspace.documents.let_ask_web),
    )
    st.html(f'<div class="t-list">{"".join(map(_converter_row, workspace.documents.converters()))}</div>')


def _converter_row(converter_card: ConverterCard) -> str:
    name = f"<b>{html(names.converter(converter_card.name))}</b>"
    if converter_card.problem:
        return f"<div>{with_label(name, f'<i>{html(converter_card.problem)}</i>')}</div>"
    state = html(converter_card.version if converter_card.installed else t("not installed"))
    kinds = html(" ".join(converter_card.kinds))
    return f"<div>{with_label(name, f'{kinds} <i>{state}</i>')}</div>"


# General settings: language, theme, folders and old versions.


def draw_general() -> None:
    """Draw the selectors for the language and theme, and the numeric settings for folders and old versions."""
    language_and_look.choose_language("settings_language", label_visibility="visible")
    language_and_look.choose_look("settings_look", label_visibility="visible")
    with expander("Folders and old versions", "tune", "general_numbers"):
        for name, (label, about) in NUMBERS.items():
            program_setting = workspace.settings_file.get(name)
            field(
                name,
                partial(
                    st.number_input,
                    text_of(label),
                    int(program_setting.least or 0),
                    int(program_setting.most or 0),
                    help=text_of(about),
                ),
            )


FILE = "tessera.toml"

# The label and help text of each numeric setting that isn't in a section of `tessera.toml`.
NUMBERS = {
    "scan_interval": (
        message("Seconds between checks of watched folders"),
        message("Most changes are noticed at once. This check finds changes that the system didn't report."),
    ),
    "trash_days": (message("Days in the trash"), message("A deleted note can be restored for this many days.")),
    "keep_versions": (
        message("Earlier versions to keep per note"),
        message("When a note has more versions, the oldest are deleted."),
    ),
}


def field(
    key: str,
    draw: Callable[..., object],
    shown: Callable[..., object] = int,
    then: Callback = lambda: None,
) -> None:
    """Show a setting with its widget, its source, and a button that restores the default.

    `draw` draws the widget. `shown` converts the value for the widget, and `then` is called after a change.
    """
    program_setting = workspace.settings_file.get(key)
    widget = f"setting_{key}"

    def write(value: object) -> None:
        workspace.settings_file.write(key, value)
        then()

    with row(f"{widget}_row", vertical_alignment="bottom", gap="xsmall"):
        with st.container():
            draw(
                **bound(widget, shown(program_setting.value), write),
                disabled=is_fixed(program_setting),
            )
        if program_setting.source == "file":
            small(
                "",
                f"{widget}_undo",
                "undo",
                write,
                None,
                help=message("Delete this line from {file}", file=FILE),
                writes=True,
            )
    remark(program_setting)


def switch(
    key: str, label: str, widget: str, value: bool, store: Callable[[bool], object], about: str | None = None
) -> None:
    """Draw a toggle for the setting `key`, and a remark if the setting can't be changed here or needs a restart.

    If `tessera.toml` has the setting, the value is stored there. Otherwise, `store` stores it in the workspace.
    """
    program_setting = workspace.settings_file.get(key)
    chosen = partial(workspace.settings_file.write, key) if program_setting.source == "file" else store
    st.toggle(label, **bound(widget, value, chosen), help=about, disabled=is_fixed(program_setting))
    remark(program_setting)


def remark(program_setting: ProgramSetting) -> None:
    """Show a message if a setting comes from an environment variable, or takes effect only on the next start."""
    if program_setting.source == "environment":
        caption(t("Set by the environment variable {name}, so it can't be changed here.", name=program_setting.place))
    elif program_setting.waits:
        small_print("Takes effect the next time Tessera starts.")


def is_fixed(program_setting: ProgramSetting) -> bool:
    """Return whether a setting can't be changed here."""
    return workspace.readonly or program_setting.source == "environment"


def draw_file(key: str) -> None:
    """Show the text of `tessera.toml`, initially collapsed. `key` must be unique among these elements on the page."""
    on_demand(FILE, f"file_{key}", "description", _file)


def _file() -> None:
    text = workspace.settings_file.text()
    about = t("Your choices above are written to this file at once. Comments and order are kept.")
    caption(f"{workspace.settings_file.path} · {about}")
    if text.strip():
        st.code(text, language="toml", line_numbers=True)
    else:
        small_print("This file doesn't exist yet, so all settings have their default values.")


# The settings for today's note: base, folder, name and template.


def draw_daily() -> None:
    """Show the settings for today's note, and the path that results from them, or what is wrong with them."""
    notes = {card.path or card.title: f"{card.title} · {card.path or card.base}" for card in workspace.notes.all()}
    fields: dict[str, Callable[..., object]] = {
        "base": partial(
            select,
            t("Knowledge base"),
            {"": t("Ask on first use"), **{name: name for name in names.base_names(plain=False)}},
        ),
        "folder": partial(st.text_input, t("Folder"), placeholder=t("No folder")),
        "format": partial(
            st.text_input, t("Name"), help=t("YYYY year, MM month, DD day, dddd weekday; [text] is kept as it is")
        ),
        "template": partial(
            select,
            t("Template"),
            {"": t("None"), **notes},
            help=t(
                "Today's note starts with the text of the note that you choose here. {{date}}, {{date:dddd}}, "
                "{{time}} and {{title}} are filled in."
            ),
        ),
    }
    for name, draw in fields.items():
        field(f"daily.{name}", draw, str)
    with errors():
        if problem := workspace.daily.problem:
            caption(problem)
        else:
            small_print(
                "Today's note: {path}", path=plain(workspace.daily.path(today.now(), session_state["language"]))
            )
