"""A language that nobody speaks, in which ⟦every text⟧ stands in brackets, and what a page sends to the browser."""

import json
import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
import streamlit.testing.v1.local_script_runner as runner
from babel.messages.catalog import Catalog
from google.protobuf.message import Message as Proto
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df

from core.base import messages
from tests import catalogues

LANGUAGE = "eo"
HIDDEN = {
    *("active_script_hash", "form_id", "fragment_id", "hash", "id", "page", "page_name", "page_script_hash"),
    *("query_string", "url_pathname"),
    *("component_name", "css_content", "css_source_path", "html_content", "js_content", "js_source_path"),
    *("column_order", "favicon", "format", "icon", "language", "selection_default", "tag", "type", "url"),
    *("deferred_file_id", "shortcut", "theme"),
}
"""Fields of what is sent that no person reads: addresses, keys, kinds, the code of the components."""
UNREAD = {"elements", "attributes", "keys", "places"}
"""Data of components that no person reads: names that HTML may hold, keys that are listened to, selectors."""
ATTRIBUTES = re.compile(r'\b(?:title|aria-label|placeholder|alt)="([^"]*)"')
LETTERS = re.compile(r"[A-Za-z\u4e00-\u9fff](?:[\w' -]*\w)?")
OF_MACHINES = re.compile(r"(?<![\w.])~?/[^\s\u27e6\u27e7]+|\d{4}-\d\d-\d\dT[\d:.+]+")
"""Paths of this machine, and times as charts take them."""
CODE = re.compile(
    r"#[0-9a-f]{6}|[0-9a-f]{8}|[0-9a-f]{12}(?: \d*)* ?\d*|own|both|gap|(?:deleted|only| )+|h\d+|[a-z]+://\S+"
)
"""What a component is told beside texts: ids of notes and headings, addresses, and classes of its style sheet."""
MARKDOWN = re.compile(r":material/\w+:|:gray(?=\[)")


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the language one of those that there are, for as long as a test runs."""
    contents = {name: catalogues.path(name).read_bytes() for name in messages.LANGUAGES if name != messages.ENGLISH}
    for name, content in {**contents, LANGUAGE: _catalogue()}.items():
        file = folder / name / "LC_MESSAGES" / "tessera.po"
        file.parent.mkdir(parents=True)
        file.write_bytes(content)
    monkeypatch.setitem(messages.LANGUAGES, LANGUAGE, "⟦Esperanto⟧")
    monkeypatch.setattr(messages, "LOCALE", folder)
    messages.catalogue.cache_clear()


@cache
def _catalogue() -> bytes:
    catalogue = catalogues.updated(Catalog(locale=LANGUAGE), catalogues.entries())
    for one in catalogue:
        if one.id:
            one.string = tuple(map(bracketed, one.id)) if isinstance(one.id, tuple) else bracketed(one.id)
    return catalogues.written(catalogue, LANGUAGE)


def bracketed(text: str) -> str:
    """Return a text whose words stand in brackets; what is put into its places stays outside of them."""
    parts = []
    for words, name, form, conversion in Formatter().parse(text):
        parts += ["⟦", words.replace("{", "{{").replace("}", "}}"), "⟧"] if words else []
        if name is not None:
            parts += ["{", name, f"!{conversion}" if conversion else "", f":{form}" if form else "", "}"]
    return "".join(parts)


class Sent:
    """All that pages sent to the browser since a test began, and what of it is in no catalogue."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._texts: dict[str, str] = {}
        tree = runner.parse_tree_from_messages

        def record(sent: list[Any]) -> Any:
            for one in sent:
                for where, text in texts(one):
                    self._texts.setdefault(text, where)
            return tree(sent)

        monkeypatch.setattr(runner, "parse_tree_from_messages", record)

    def left(self, *data: str) -> list[str]:
        """Return what has letters outside of the brackets, when the data is taken away, each with where it stands."""
        longest_first = sorted(data, key=len, reverse=True)
        known = re.compile("|".join(rf"(?<![A-Za-z]){re.escape(one)}(?![A-Za-z])" for one in longest_first))
        found = []
        for text, where in self._texts.items():
            plain = known.sub("", unbracketed(written(text)))
            found += [f"{where}: {rest.group()!r} in {text[:100]!r}" for rest in LETTERS.finditer(plain)]
        return found


def written(text: str) -> str:
    """Return a text without what Markdown and its escapes add to it, paths and times."""
    plain = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text.replace("\ufeff", ""))
    return OF_MACHINES.sub(" ", MARKDOWN.sub("", plain))


def unbracketed(text: str) -> str:
    """Return a text without what stands in brackets, which may stand in others."""
    while (shorter := re.sub(r"⟦[^⟦⟧]*⟧", " ", text)) != text:
        text = shorter
    return text


def texts(sent: Proto) -> Iterator[tuple[str, str]]:
    """Find what a person reads in a message to the browser, each with its place."""
    for field, value in sent.ListFields():
        where = f"{sent.DESCRIPTOR.name}.{field.name}"
        for one in value if field.is_repeated else [value]:
            if isinstance(one, Proto):
                yield from texts(one)
            elif isinstance(one, str) and field.name not in HIDDEN:
                yield from ((where, text) for text in _shown(where, one))
            elif where == "ArrowData.data":
                table = convert_arrow_bytes_to_pandas_df(one)
                yield from ((where, text) for text in _strings([*table.to_numpy().flatten().tolist()]))


def _shown(where: str, text: str) -> Iterator[str]:
    match where:
        case "Html.body":
            yield from _of_html(text)
        case "BidiComponent.json":
            data = json.loads(text)
            read = {name: data[name] for name in data.keys() - UNREAD} if isinstance(data, dict) else data
            for one in _strings(read):
                if one.startswith("<"):
                    yield from _of_html(one)
                elif not CODE.fullmatch(one):
                    yield one
        case "Code.code_text":
            yield re.sub(r"</?note>", "", text)  # the marks of a context
        case "Dataframe.columns":
            for column in json.loads(text).values():
                yield from _strings([column.get("label"), column.get("help")])
        case "VegaLiteChart.spec":
            yield from _of_chart(json.loads(text))
        case _:
            yield text


def _of_html(text: str) -> Iterator[str]:
    # The name of a setting is the same in every file of settings.
    without_style = re.sub(r"(?s)<style>.*?</style>|<code>[a-z_]+</code>", "", text)
    yield from map(unescape, ATTRIBUTES.findall(without_style))
    yield from map(unescape, re.sub(r"<[^>]*>", "\n", without_style).split("\n"))


def _of_chart(spec: Any) -> Iterator[str]:
    """The titles of a chart, the names on its scales, and the values of its points."""
    if isinstance(spec, dict):
        for name, value in spec.items():
            yield from _strings(value) if name in ("title", "domain", "values", "datasets") else _of_chart(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from _of_chart(value)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _strings(list(value.values()))
    elif isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        for one in value:
            yield from _strings(one)
