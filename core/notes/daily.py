"""Daily notes, which are named after the date, in a location and with a template chosen by the user."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from logging import getLogger

from core.base.call_log import log_bases, log_call
from core.base.errors import ConfigError, EditError, TesseraError
from core.base.messages import ENGLISH, Message, lines, message
from core.base.text import name_key, stem
from core.indexing.bases import Bases
from core.intake.folder import is_entered
from core.intake.imports import Imports
from core.model import NOTE_FIELDS, Filters, KnowledgeBase, Note, NoteSummary, Renaming
from core.notes import file_writing
from core.notes.collection import Notes
from core.notes.texts import check_path, title_filename
from core.notes.writer import Writer, own_title
from core.settings.config import Settings
from core.settings.file import SettingsFile
from core.settings.sections import DailySettings
from core.store import Store

_LOG = getLogger(__name__)

# Date formats with Moment.js tokens, as in Obsidian.

# Unicode date patterns equivalent to Moment.js tokens, where they exist.
_CLDR = dict(
    entry.split(":")
    for entry in """
    YYYY:yyyy YY:yy Q:Q MMMM:MMMM MMM:MMM MM:MM M:M DDDD:DDD DDD:D DD:dd D:d dddd:EEEE ddd:EEE dd:EEEEEE
    HH:HH H:H hh:hh h:h mm:mm m:m ss:ss s:s A:a
""".split()
)
_ORDINALS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
_OTHERS: Mapping[str, Callable[[datetime, str], str]] = {
    "GGGG": lambda at, _: f"{at:%G}",
    "WW": lambda at, _: f"{at:%V}",
    "W": lambda at, _: str(at.isocalendar().week),
    "E": lambda at, _: str(at.isoweekday()),
    "Do": lambda at, language: ordinal(at.day) if language == ENGLISH else f"{at.day}日",
    "a": lambda at, language: format_date(at, "A", language).lower(),
}
_TOKEN = re.compile(r"\[([^\[\]]*)\]|" + "|".join(sorted([*_CLDR, *_OTHERS], key=len, reverse=True)))
_FORMATS = {"date": "YYYY-MM-DD", "time": "HH:mm"}


def ordinal(number: int) -> str:
    """Return the number of a day in a month as an English ordinal, such as `1st`."""
    return f"{number}{_ORDINALS.get(number, 'th')}"


def format_date(at: datetime, pattern: str, language: str = ENGLISH) -> str:
    """Format a time using tokens such as `YYYY-MM-DD dddd`. Text in square brackets is literal."""
    from babel.dates import format_datetime  # imported here because few commands need it

    def value(token: re.Match[str]) -> str:
        if token[1] is not None:
            return token[1]
        if other := _OTHERS.get(token[0]):
            return other(at, language)
        return format_datetime(at, _CLDR[token[0]], locale=language)

    return _TOKEN.sub(value, pattern)


def fill(template: str, at: datetime, title: str, language: str = ENGLISH) -> str:
    """Fill in a template's placeholders, such as `{{title}}`, `{{date}}`, `{{time}}` and `{{date:dddd}}`."""

    def value(placeholder: re.Match[str]) -> str:
        name = placeholder[1].lower()
        return title if name == "title" else format_date(at, (placeholder[2] or _FORMATS[name]).strip(), language)

    return re.sub(r"(?i)\{\{\s*(date|time|title)\s*(?::([^{}\n]+))?\}\}", value, template)


@dataclass
class DailyNotes:
    _store: Store
    _settings: Settings
    _settings_file: SettingsFile
    _bases: Bases
    _notes: Notes
    _imports: Imports
    _writer: Writer
    _packed: Callable[[], Collection[str]]
    """Returns the names of the bases that belong to packs."""

    @property
    def chosen(self) -> DailySettings:
        """The settings for daily notes.

        The settings file may name the base of another workspace. Then the user's only base is used, without the other
        base's folder and template. If the user has no base yet, the one in the settings is created.
        """
        chosen = self._settings.daily
        if not chosen.base or self._bases.find(chosen.base):
            return chosen
        own = self.own_bases()
        if own[1:]:
            return chosen
        here = {"base": own[0], "folder": ""} if own else {}
        return chosen.model_copy(update={"template": "", **here})

    def own_bases(self) -> list[str]:
        """Return the bases that hold the user's own notes, leaving out bases for packs and text files."""
        packed = self._packed()
        return [base.name for base in self._bases.all() if not base.plain and base.name not in packed]

    @property
    def problem(self) -> Message | None:
        """What the user must still choose before a daily note can be created, or None if nothing is missing."""
        chosen = self.chosen
        if not chosen.base:
            return message("Choose where to save today's note. You only need to do this once.")
        base = self._bases.find(chosen.base)
        if base is None and chosen is self._settings.daily:
            return message(
                "Today's note goes to the base '{base}', which doesn't exist here. Choose another base.",
                base=chosen.base,
            )
        if base and base.plain:
            return message(
                "The files of '{base}' are read-only in Tessera. Choose another base for today's note.", base=base.name
            )
        if chosen.template and self._template() is None:
            return message("The template for today's note, '{note}', no longer exists.", note=chosen.template)
        return None

    def path(self, now: datetime, language: str = ENGLISH) -> str:
        """Return the path of a day's note in its base. Raises EditError if no note can have that path."""
        chosen = self.chosen
        name = format_date(now, chosen.format.removesuffix(".md"), language)
        parts = [title_filename(part).removesuffix(".md") for part in name.split("/") if part.strip()]
        return check_path("/".join(filter(None, [chosen.folder.strip("/ "), *parts])))

    def exists(self, now: datetime, language: str = ENGLISH) -> bool:
        """Return whether a day has a note or a file. Raises EditError if no note can have the path."""
        if (base := self._bases.find(self.chosen.base)) is None:
            return False
        path = self.path(now, language)
        folder = self._writer.folder_for(base, path)
        has_file = folder is not None and file_writing.is_taken(folder, path)
        return has_file or self._find(base, path) is not None

    @log_call("note.today")
    def open(self, now: datetime, language: str = ENGLISH) -> Note:
        """Return a day's note, creating it if it doesn't exist. In a base that writes files, a new note is a file.

        Raises ConfigError if there is a `problem`, EditError if no note can have the path, WorkspaceLocked, and the
        same errors as `file_writing.apply`.
        """
        if problem := self.problem:
            hint = message("You can change this in Tessera's settings, or in the [daily] section of tessera.toml.")
            raise ConfigError(lines(problem, hint, separator=" "))
        base = self._bases.find_or_add(self.chosen.base)
        log_bases([base])
        path = self.path(now, language)
        with self._store.changing:
            if found := self._find(base, path):
                return found
            self._store.check_writable()
            filled = partial(fill, at=now, title=stem(path), language=language)
            note = Note("", "", title="", body="# {{title}}\n\n", content_hash="", path=path, source="folder")
            if template := self._template():
                stored = self._notes.get(template.id)
                note = replace(
                    stored, path=path, source="folder", source_ref="", status="active", front=filled(stored.front or "")
                )
            body = filled(note.body)
            note = replace(note, body=body, title=own_title(body, path))
            folder = self._writer.folder_for(base, path)
            if not folder:
                fields = {field: getattr(note, field) for field in NOTE_FIELDS if field != "title"}
                return self._notes.add(base.name, body, path=path, author="person", embed=False, **fields)
        # The lock is released first, because another import of the base may be waiting for it.
        if is_entered(folder, path):
            file_writing.create(folder, path, file_writing.text_of(note).encode())
            self._imports.apply(self._imports.plan_changes(folder, base, [path], path), embed=False, watch=False)
            if found := self._find(base, path):
                return found
        raise EditError(
            "Imports of the folder leave out '{path}', so it can't be today's note. Choose another folder or name.",
            path=path,
        )

    def add(self, text: str, now: datetime, language: str = ENGLISH) -> Note:
        """Append text to a day's note, and return the note. Changes to its file by other programs are read first.

        Raises EditError if a program proposed the note, and the same errors as `open` and `Notes.update`.
        """
        note = self.open(now, language)
        if note.status == "pending":
            raise EditError(
                "A program's note at '{path}' is waiting in Review. Accept or reject it first.", path=note.location
            )
        base = self._bases.by_id(note.base_id)
        if note.path and (folder := self._writer.folder_for(base, note.path)):
            self._imports.apply(self._imports.plan_changes(folder, base, [note.path]), embed=False, watch=False)
            note = self.open(now, language)
        with self._store.changing:  # so that nothing changes between reading and writing the text
            note = self._notes.get(note.id)
            end = "\r\n" if "\r\n" in note.body else "\n"
            return self._notes.update(
                note.id,
                body=end.join([note.body.rstrip(), "", *text.strip().splitlines(), ""]),
                author="person",
                embed=False,
            )

    def _template(self) -> NoteSummary | None:
        """Return the template that the user chose by path or title, preferably from the daily notes' base."""
        chosen = self.chosen
        cards = self._notes.all() if chosen.template else []
        named = [card for card in cards if chosen.template in (card.path, card.title)]
        return min(named, key=lambda card: card.base != chosen.base, default=None)

    def follow(self, done: Renaming) -> None:
        """Update the template setting if its note was renamed or moved."""
        chosen = self.chosen
        names = {done.path_before: done.path, done.title_before: done.title}
        name = names.get(chosen.template) if chosen.template else None
        if name in (None, chosen.template):
            return
        other = self._template()
        card = self._store.notes.card(done.note_id)
        if other and (card.base != chosen.base or other.base == chosen.base):
            return  # another note with the old name is still the template
        self._set("daily.template", name)

    def follow_base(self, old: str, new: str) -> None:
        """Update the base setting if the daily notes' base was renamed."""
        if self._settings.daily.base == old:
            self._set("daily.base", new)

    def _set(self, setting: str, name: str) -> None:
        """Write a setting after a rename. If the settings file can't be written, just log a warning."""
        try:
            self._settings_file.write(setting, name)
        except TesseraError as error:
            _LOG.warning("The setting %s can't be updated", setting, exc_info=error)

    def _find(self, base: KnowledgeBase, path: str) -> Note | None:
        cards = self._notes.all(Filters(bases=(base.name,)))
        return next((self._notes.get(card.id) for card in cards if name_key(card.location) == name_key(path)), None)
