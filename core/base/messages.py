"""Messages to the user. They are texts with fields, and are translated only when they are shown.

The English text is the message id in the catalogues, `core/base/locale/LANGUAGE/LC_MESSAGES/tessera.po`.
"""

import gettext
import os
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cache
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import Any, TypeVar

from core.base.frozen import ValueMap, Values, frozen

ENGLISH = "en"
_Key = TypeVar("_Key")

# Languages for the screen and the terminal, as a mapping from catalogue names to the languages' own names.
LANGUAGES = {ENGLISH: "English", "zh_CN": "中文"}

LOCALE = Path(__file__).with_name("locale")

# Fields whose untranslated message has the JSON key `message`. For any other field, the key is `NAME_message`.
_MAIN = ("error", "problem", "reason", "explanation", "why")

# Smallest integer shown as a power of ten. Python refuses to print more than 4,300 digits.
_LONG = 10**30
_VARIABLES = ("TESSERA_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


@frozen
class Message:
    """English text for the user with named fields, and the fields' values.

    A value that is itself a message is rendered in the same language, a sequence as a list, an integer with thousands
    separators, and any other value with `format`. `plural` is the text used if the field `n` isn't 1. `context`
    distinguishes identical texts that have different translations.
    """

    text: str
    fields: ValueMap = field(default_factory=dict, hash=False)
    plural: str = ""
    context: str = ""

    def __str__(self) -> str:
        return render(self)


Messages = tuple[Message, ...]
# A message, or plain text.
Text = str | Message


def message(text: str, /, **fields: object) -> Message:
    return Message(text, fields)


def message_table(texts: Mapping[_Key, str]) -> dict[_Key, Message]:
    return {key: Message(text) for key, text in texts.items()}


def as_message(text: Text, /, **fields: object) -> Message:
    """Turn a string into a message with the given fields, or return a message unchanged."""
    return text if isinstance(text, Message) else Message(text, fields)


def plural(one: str, many: str, /, **fields: object) -> Message:
    """Return a message whose text depends on the number in its field `n`."""
    return Message(one, fields, plural=many)


def in_context(context: str, text: str, /, **fields: object) -> Message:
    return Message(text, fields, context=context)


def lines(*messages: object, separator: str = "\n") -> Message:
    names = [f"part{number}" for number in range(len(messages))]
    return Message(separator.join(f"{{{name}}}" for name in names), dict(zip(names, messages, strict=True)))


def verbatim(text: str) -> Message:
    """Return a message that is never translated, for text from the user or from another program."""
    return Message("{text}", {"text": text})


def reason_of(error: BaseException) -> Message:
    """Return an exception's message, or the first line of its text if it comes from another library."""
    first = error.args[0] if error.args else None
    return first if isinstance(first, Message) else verbatim(str(error).strip().partition("\n")[0])


def skeleton(message: Message) -> Message:
    """Return a message without personal data. Numbers and messages are kept. Field names replace all other values."""
    fields: Values = {}
    for name, value in message.fields.items():
        inner = getattr(value, "message", value)
        shown = inner if isinstance(inner, (int, float)) else verbatim(f"{{{name}}}")
        fields[name] = skeleton(inner) if isinstance(inner, Message) else shown
    return replace(message, fields=fields)


def render(message: object, language: str = ENGLISH) -> str:
    """Return a message, or an object's message, as text in the given language. Other values are converted to text."""
    message = getattr(message, "message", message)
    if not isinstance(message, Message):
        return str(message)
    texts = catalogue(language)
    translated = message.text
    if message.plural:
        number = message.fields["n"]
        assert isinstance(number, int), "a plural has its number"
        translated = texts.ngettext(message.text, message.plural, number)
    elif message.context:
        translated = texts.pgettext(message.context, message.text)
    elif message.text:  # for an empty text, gettext returns the catalogue's header
        translated = texts.gettext(message.text)
    return _Rendering(language).vformat(translated, (), message.fields) if message.fields else translated


def language_of(tag: str) -> str:
    """Return the supported language for a locale (`zh_CN.UTF-8`) or a browser's tag (`zh-TW`), by default English."""
    name = tag.partition(".")[0].replace("-", "_")
    related = [language for language in LANGUAGES if language.partition("_")[0] == name.partition("_")[0].lower()]
    return name if name in LANGUAGES else (*related, ENGLISH)[0]


def terminal_language() -> str:
    """Return the language in the first environment variable of _VARIABLES that is set, by default English."""
    return language_of(next(filter(None, map(os.environ.get, _VARIABLES)), ENGLISH))


@cache
def catalogue(language: str) -> gettext.NullTranslations:
    """Load the translations for a language. There are none for English, the source language."""
    if language == ENGLISH:
        return gettext.NullTranslations()
    # Imported here because Babel doubles the import time and isn't needed for English.
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    compiled = BytesIO()
    with (LOCALE / language / "LC_MESSAGES" / "tessera.po").open("rb") as source:
        write_mo(compiled, read_po(source, locale=language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def to_json(message: Message) -> Values:
    """Convert a message to JSON data that `from_json` can read."""
    data: Values = {"text": message.text, "fields": {k: _plain(v) for k, v in message.fields.items()}}
    return data | {name: value for name in ("plural", "context") if (value := getattr(message, name))}


def readable(value: object, language: str = ENGLISH) -> Any:
    """Convert a value to JSON data.

    A message becomes text in the given language. A second field next to it holds the message's id and fields.
    """
    if isinstance(value, Mapping):
        data: Values = {}
        for name, item in value.items():
            is_property = name == "message" and not isinstance(item, Message)  # a note may have this property
            key = name if is_property else readable_name(name)
            data[key] = readable(item, language)
            if isinstance(item, Message):
                data["message" if key in _MAIN else f"{name}_message"] = to_json(item)
            elif isinstance(item, (list, tuple)) and (messages := [part for part in item if isinstance(part, Message)]):
                data[f"{name}_messages"] = list(map(to_json, messages))
        return data
    if isinstance(value, (list, tuple)):
        return [readable(item, language) for item in value]
    return render(value, language) if isinstance(value, Message) else value


# JSON keys that differ from the field name: `message` is the key for a message's id, and `as` is a Python keyword.
_KEYS = {"message": "explanation", "as_": "as"}


def readable_name(name: str) -> str:
    return _KEYS.get(name, name)


def from_json(data: object) -> Message:
    """Convert JSON data to a message. A bare string, as written by earlier versions, isn't translated."""
    if not isinstance(data, dict):
        return verbatim(str(data))
    return Message(**(data | {"fields": {name: _read(value) for name, value in data["fields"].items()}}))


def figures(number: int) -> str:
    """Format an integer with thousands separators, or as a power of ten if it is too long to read."""
    if abs(number) < _LONG:
        return f"{number:,}"
    return f"{'-' if number < 0 else ''}10^{number.bit_length() * 30_103 // 100_000}"


def _plain(value: object) -> object:
    value = getattr(value, "message", value)
    if type(value) is int and abs(value) >= _LONG:
        return figures(value)
    if isinstance(value, Message):
        return {"message": to_json(value)}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def _read(value: object) -> object:
    if isinstance(value, dict):
        return from_json(value["message"])
    return [_read(item) for item in value] if isinstance(value, list) else value


class _Rendering(Formatter):
    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: object, format_spec: str) -> str:
        if isinstance(value, Message) or hasattr(value, "message"):
            return render(value, self._language)
        if isinstance(value, (list, tuple)):
            return render(message(", "), self._language).join(self.format_field(item, format_spec) for item in value)
        if isinstance(value, int) and not isinstance(value, bool) and not format_spec:
            return figures(value)
        return format(value, format_spec)
