"""The catalogues beside the sources: `python -m tests.catalogues` brings each in step and lists what it lacks.

A text is marked by the function that takes it: `message("…")`, `t("…")`, or an error that is raised with it. Only a
literal is seen. Calls inside of f-strings count, which the extractor of Babel sees from Python 3.12 on only.
"""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from core.base import errors, messages
from core.base.errors import TesseraError

ROOT = Path(__file__).parents[1]
PLACES = ("app.py", "core", "pages")
HEADER = """\
msgid ""
msgstr ""
"Project-Id-Version: tessera-notes\\n"
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals}\\n"

"""
"""What a catalogue begins with; no date, so that only a change of texts is a change of the file."""


@dataclass(frozen=True, slots=True)
class Form:
    """The positions of a call's text, and of the plural and the context beside it."""

    text: int
    plural: int | None = None
    context: int | None = None


MARKS: Mapping[str, Form] = {
    "message": Form(0),
    "plural": Form(0, plural=1),
    "in_context": Form(1, context=0),
    "t": Form(0),
    "t_html": Form(0),
    "t_plural": Form(0, plural=1),
    "_": Form(0),
    **dict.fromkeys(
        ("small_print", "small_title", "page_title", "section_title", "busy", "text_column", "argument"), Form(0)
    ),
}
"""The functions whose texts are translated; every text of them is a literal."""

DECLARATIONS: Mapping[str, Form] = {
    "operation": Form(1),
    "CommandGroup": Form(1),
    "RowReader": Form(1),
    "unusable": Form(0),
    "count_names": Form(1, plural=2),
    "_counts": Form(1, plural=2),
    "option": Form(1),
    "Decision": Form(0),
    "About": Form(0),
    "sentence": Form(0),
    "Command": Form(0),
    **dict.fromkeys(("button", "small", "submit", "count_button", "copy_button", "menu", "expander", "popup"), Form(0)),
    **dict.fromkeys(
        ("on_demand", "popover", "group_title", "count_column", "text_input", "text_area", "text_box"), Form(0)
    ),
    **dict.fromkeys(("select", "select_hidden", "select_or_type", "segments", "pills"), Form(0)),
    **dict.fromkeys(("close", "select_in", "page_link", "_done", "_name", "_require"), Form(1)),
    "no_notes": Form(0),
    "_finish": Form(2),
}
"""The declarations that take a text, or a message that holds one."""


def _of_errors() -> dict[str, Form]:
    """The errors that are raised with a text: where their constructor takes it."""
    forms = {}
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, TesseraError):
            parameters = list(inspect.signature(kind).parameters)
            position = next((at for at, one in enumerate(parameters) if one in ("text", "reason", "what")), None)
            if position is not None:
                forms[name] = Form(position)
    return forms


ERRORS: Mapping[str, Form] = _of_errors()
"""The errors that take a text, or a message that holds one."""


ROWS: Mapping[str, slice] = {
    "Check": slice(1, 4),
    "_job_kind": slice(1, 5),
    "_search_setting": slice(0, 2),
    "_note_field": slice(1, 4),
    "_matter_type": slice(0, 2),
    "_name_dialog": slice(1, 3),
}
"""The rows of tables with several texts: where these are."""


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """A text to be translated."""

    text: str
    plural: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that marks a text: `entry` is None where its text isn't a literal."""

    file: Path
    line: int
    name: str
    entry: Entry | None
    argument: ast.expr


def sources(places: Sequence[str] = PLACES) -> list[Path]:
    """Return the Python files in these places."""
    return [file for place in places for file in sorted((ROOT / place).rglob("*.py")) or [ROOT / place]]


@cache
def calls(file: Path) -> Sequence[Call]:
    """Find the calls of a file that mark a text, in their order; a file is read once."""
    return tuple(_calls(file))


def _calls(file: Path) -> Iterator[Call]:
    forms = {**ERRORS, **DECLARATIONS, **MARKS}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        form = forms.get(name)
        for text in _of_table(name, node):
            yield Call(file, node.lineno, name, _entry(Form(0), [text]), text)
        if form is not None and len(node.args) > form.text:
            yield Call(file, node.lineno, name, _entry(form, node.args), node.args[form.text])


def _of_table(name: str, call: ast.Call) -> list[ast.expr]:
    """Return the texts of a row with several, of a table of texts, and that of a table without rows."""
    if name in ROWS:
        return call.args[ROWS[name]]
    if name == "message_table":
        return call.args[0].values if isinstance(call.args[0], ast.Dict) else call.args
    named = {("table", "empty"): ast.expr, ("operation", "lines"): ast.Constant}
    named |= {(button, "help"): ast.Constant for button in ("button", "small", "draw_with_button")}
    return [item.value for item in call.keywords if isinstance(item.value, named.get((name, item.arg), ()))]


def _entry(form: Form, arguments: Sequence[ast.expr]) -> Entry | None:
    places = [form.text, form.plural, form.context]
    texts = ["" if place is None else _literal(arguments, place) for place in places]
    return Entry(*texts) if all(text is not None for text in texts) and texts[0] else None


def _literal(arguments: Sequence[ast.expr], place: int) -> str | None:
    match arguments[place : place + 1]:
        case [ast.Constant(value=str(text))]:
            return text
    return None


def entries(places: Sequence[str] = PLACES) -> list[Entry]:
    """Return every text that the files in these places mark, once each."""
    return sorted({call.entry for file in sources(places) for call in calls(file) if call.entry})


def path(language: str) -> Path:
    """Return the file of a catalogue."""
    return messages.LOCALE / language / "LC_MESSAGES" / "tessera.po"


def read(language: str) -> Catalog:
    """Return a catalogue as it is stored, an empty one where there is none yet."""
    file = path(language)
    if not file.exists():
        return Catalog(locale=language)
    with file.open("rb") as source:
        return read_po(source, locale=language, abort_invalid=True)


def updated(catalogue: Catalog, wanted: Sequence[Entry]) -> Catalog:
    """Return a catalogue of these texts: the known translations, an empty one for each other."""
    fresh = Catalog(locale=catalogue.locale)
    for entry in wanted:
        known = catalogue.get(entry.text, entry.context or None)
        id_ = (entry.text, entry.plural) if entry.plural else entry.text
        string = known.string if known and isinstance(known.id, tuple) == isinstance(id_, tuple) else ""
        if entry.plural and not string:
            string = ("",) * fresh.num_plurals
        added = fresh.add(id_, string, context=entry.context or None)
        added.flags.discard("python-format")  # a percent sign before a word is no field
    return fresh


def written(catalogue: Catalog, language: str) -> bytes:
    """Return a catalogue as its file holds it: in the order of the texts, a line each."""
    file = BytesIO()
    write_po(file, catalogue, no_location=True, omit_header=True, sort_output=True, width=0)
    head = HEADER.format(language=language, plurals=catalogue.plural_forms)
    return head.encode() + file.getvalue()


def missing(catalogue: Catalog) -> list[str]:
    """Return the texts of a catalogue that have no translation, or that of a singular only."""
    return [_name(one.id) for one in catalogue if one.id and not all(_strings(one.string))]


def _name(id_: str | tuple[str, ...]) -> str:
    return id_ if isinstance(id_, str) else id_[0]


def _strings(string: str | Sequence[str]) -> Sequence[str]:
    return [string] if isinstance(string, str) else string


def main() -> int:
    """Bring every catalogue in step and print what lacks a translation."""
    wanted, lacking = entries(), 0
    for language in messages.LANGUAGES:
        if language == messages.ENGLISH:
            continue
        catalogue = updated(read(language), wanted)
        path(language).parent.mkdir(parents=True, exist_ok=True)
        path(language).write_bytes(written(catalogue, language))
        gaps = missing(catalogue)
        head = f"{language}: {len(catalogue)} texts, {len(gaps)} without a translation"
        sys.stdout.write("\n  ".join([head, *gaps]) + "\n")
        lacking += len(gaps)
    return int(lacking > 0)


if __name__ == "__main__":
    sys.exit(main())
