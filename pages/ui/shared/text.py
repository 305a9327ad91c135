"""Text in the session's language: English in the code, other languages from the catalogues in `core.base.locale`."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import reduce

import streamlit as st

from core.base.messages import ENGLISH, Message, message, plural, render


def session_language() -> str:
    """Return the session's language, one of `core.base.messages.LANGUAGES`."""
    return str(st.session_state.get("language", ENGLISH))


def t(text: str, /, **fields: object) -> str:
    """Translate a string and fill in its fields; whole numbers get thousands separators."""
    return render(message(text, **fields), session_language())


def t_plural(item: str, many: str, /, **fields: object) -> str:
    """Translate a string whose form depends on its field `n`."""
    return render(plural(item, many, **fields), session_language())


def small_print(text: str, /, **fields: object) -> None:
    """Draw a translated string in small print."""
    st.caption(t(text, **fields))


def busy(text: str) -> AbstractContextManager[None]:
    """Draw a spinner with a message until the block ends."""
    return st.spinner(t(text))


def page_title(text: str) -> None:
    """Draw a page title."""
    st.title(t(text), anchor=False)


def section_title(text: str, /, **fields: object) -> None:
    """Draw a section title."""
    st.subheader(t(text, **fields), anchor=False)


def text_of(value: object, /, **fields: object) -> str:
    """Render a message in the session's language, with additional fields."""
    if isinstance(value, Message) and fields:
        value = replace(value, fields={**value.fields, **fields})
    return render(value, session_language())


def label_of(label: str | Message) -> str:
    """Translate a widget's label. A Message, such as a verbatim title, is only rendered."""
    return t(label) if isinstance(label, str) else text_of(label)


def sentences(texts: Iterable[str]) -> str:
    """Join sentences with the language's usual spacing, omitting empty ones."""
    return reduce(
        lambda text, more: t("{text} {more}", text=text, more=more) if text else more, filter(None, texts), ""
    )


def join_list(texts: Iterable[str]) -> str:
    """Join strings with the language's list separator."""
    return t(", ").join(texts)


def with_label(label: str, text: object) -> str:
    """Join a label and text as is usual in the language."""
    return t("{name}: {text}", name=label, text=text)


def with_note(text: str, note: object) -> str:
    """Return text followed by a remark in brackets."""
    return t("{text} ({note})", text=text, note=note)
