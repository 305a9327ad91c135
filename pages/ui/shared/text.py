"""Text in the session's language. In the code, it is in English, and `core.base.locale` has the translations."""

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
    """Translate a string and fill in its fields. Whole numbers get thousands separators."""
    return render(message(text, **fields), session_language())


def t_plural(item: str, many: str, /, **fields: object) -> str:
    """Translate a string that has a singular and a plural form. The field `n` selects the form."""
    return render(plural(item, many, **fields), session_language())


def small_print(text: str, /, **fields: object) -> None:
    """Translate a string and draw it in small print."""
    st.caption(t(text, **fields))


def small_title(text: str) -> None:
    """Translate a string and draw it in small bold print, above a part of a section."""
    st.caption(f"**{t(text)}**")


def busy(text: str) -> AbstractContextManager[None]:
    """Return a context manager that shows a spinner with a translated message until its block ends."""
    return st.spinner(t(text))


def page_title(text: str) -> None:
    """Translate a string and draw it as the page's title."""
    st.title(t(text), anchor=False)


def section_title(text: str, /, **fields: object) -> None:
    """Translate a string and draw it as a section title."""
    st.subheader(t(text, **fields), anchor=False)


def text_of(value: object, /, **fields: object) -> str:
    """Render a message in the session's language. `fields` are added to the message's own fields."""
    if isinstance(value, Message) and fields:
        value = replace(value, fields={**value.fields, **fields})
    return render(value, session_language())


def label_of(label: object) -> str:
    """Translate a widget's label or tooltip: an English string, or a Message, such as a title of the user's own."""
    return t(label) if isinstance(label, str) else text_of(label)


def sentences(texts: Iterable[str]) -> str:
    """Join sentences with the spacing used in the session's language. Empty strings are left out."""
    return reduce(
        lambda text, more: t("{text} {more}", text=text, more=more) if text else more, filter(None, texts), ""
    )


def join_list(texts: Iterable[str]) -> str:
    """Join strings with the list separator of the session's language."""
    return t(", ").join(texts)


def join_facts(texts: Iterable[str | None]) -> str:
    """Join short strings with dots between them. Empty strings are left out."""
    return " · ".join(filter(None, texts))


def with_label(label: str, text: object) -> str:
    """Join a label and text with the colon used in the session's language."""
    return t("{name}: {text}", name=label, text=text)


def with_note(text: str, note: object) -> str:
    """Return text followed by a remark in brackets."""
    return t("{text} ({note})", text=text, note=note)
