"""Rewriting of Org, reStructuredText, LaTeX, XML and notebooks so that pandoc reads all of their text."""

import html
import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from core.markdown.writing import code_block


class Markup(NamedTuple):
    """A text prepared for pandoc, its tags, and the number of included files that are left out."""

    data: bytes
    tags: str = ""
    files: int = 0


_OPTIONS = b"#+OPTIONS: arch:t d:t p:t\n"
"""Org settings that make pandoc read archived trees, drawers and task dates."""
_ORG_SETTINGS = re.compile(rb"(?im)^[ \t]*#\+(?:options|exclude_tags|select_tags|results)(?:\[[^]\n]*\])?:.*$")
_ORG_TAGS = re.compile(rb"(?im)^[ \t]*#\+filetags:(.*)$")
_ORG_FILES = re.compile(rb"(?im)^[ \t]*#\+(?:include|setupfile):.*$")
_ORG_CAPTION = re.compile(rb"(?im)^[ \t]*#\+caption(?:\[[^]\n]*\])?:[ \t]*+(.*)\n(?=[ \t]*(?:\n|<<|\Z))")
"""A caption without a figure, which pandoc itself writes below a table or above a target."""
_ORG_HEADING = re.compile(rb"(?m)^(\*+[ \t]+)((?:[A-Z]+[ \t]+)?)COMMENT\b[ \t]*")
_ORG_NOEXPORT = re.compile(rb"(?im)^(\*+[ \t].*?)(?:(?<=[ \t]):noexport:[ \t]*$|:noexport(?=:))")
_ORG_EXPORTS = re.compile(rb"(?im)^([ \t]*#\+begin_src\b.*?)[ \t]:exports[ \t]+\w+")
_ORG_DRAWER = re.compile(
    rb"(?im)^[ \t]*:PROPERTIES:[ \t]*\n((?:[ \t]*:(?!PROPERTIES:)[^\s:]+:.*\n)*)[ \t]*:END:[ \t]*$"
)
_ORG_PROPERTY = re.compile(rb":([^\s:]+):[ \t]*(.*)")
_ORG_NAMES = re.compile(rb"(?i)(?:custom_)?id|class|header-args.*|unnumbered|visibility|export_.*|cookie_data|columns")
"""Org properties that are only meant for programs."""


def _org(data: bytes) -> Markup:
    tags = b",".join(found.strip(b" \t\r:").replace(b":", b",") for found in _ORG_TAGS.findall(data))
    text, files = _ORG_FILES.subn(b"", _ORG_TAGS.sub(b"", _ORG_SETTINGS.sub(b"", data)))
    text = _ORG_NOEXPORT.sub(rb"\1", _ORG_HEADING.sub(rb"\1\2", _ORG_EXPORTS.sub(rb"\1", text)))
    text = _ORG_DRAWER.sub(_list_properties, _ORG_CAPTION.sub(rb"\n\1\n\n", text))
    return Markup(_OPTIONS + text, tags.decode(), files)


def _list_properties(drawer: "re.Match[bytes]") -> bytes:
    """Return a property drawer, followed by a list of the properties that a reader may want."""
    found = (pair for pair in _ORG_PROPERTY.findall(drawer[1]) if pair[1].strip() and not _ORG_NAMES.fullmatch(pair[0]))
    items = b"".join(b"- %b: %b\n" % pair for pair in found)
    return drawer[0] + (items and b"\n\n%b\n" % items)


_DIRECTIVE = re.compile(
    rb"(?m)^([ \t]*)\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w-]+)::[ \t]*(\S?).*\n?((?:\1[ \t]+\S.*\n?|[ \t]*\n)*+)"
)
_FILE = re.compile(rb"(?m)^\s*:(?:file|url):")
_INCLUDES = (b"include", b"literalinclude")
_SIGNATURE = re.compile(
    rb"(?m)^([ \t]*)\.\.[ \t]+(?:(\w+):([\w-]+)|(function|method|class|attribute|data|exception))::[ \t]*(\S[^`\n]*)$"
)


def without_files(data: bytes) -> tuple[bytes, int]:
    """Return a text without directives that name a file or an address, and the number of these."""
    count = 0

    def kept(directive: "re.Match[bytes]") -> bytes:
        nonlocal count
        _, name, argument, content = directive.groups()
        is_file = bool((name.lower() in _INCLUDES and argument) or _FILE.search(content))
        count += is_file
        return b"\n" if is_file else directive[0]

    return _DIRECTIVE.sub(kept, data), count


def _rst(data: bytes) -> Markup:
    text, files = without_files(data)
    return Markup(_SIGNATURE.sub(_describe, text), "", files)


def _describe(directive: "re.Match[bytes]") -> bytes:
    """Return the directive for a function, a class or an address in a form whose argument pandoc reads."""
    indent, domain, kind, plain, signature = directive.groups()
    name = kind.upper() if domain == b"http" else kind or plain
    return b"%b.. describe:: ``%b %b``" % (indent, name, signature.strip())


_ARGUMENT = rb"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_TEX = (
    (re.compile(rb"(\\begin\{description\})(?:(?!\\(?:item|begin)\b)[\s\S]){0,400}(?=\\item\b)"), rb"\1\n"),
    (re.compile(rb"\\(?:pandocbounded|fbox|todo|marginpar|marginnote|sidenote)(?=\{)"), b""),
    (re.compile(rb">\{[^{}]*\\arraybackslash\s*\}"), b""),
    (re.compile(rb"\\multirow(?:\[\w\])?\{-?\d+\}(?:\*|" + _ARGUMENT + rb")"), b""),
    (re.compile(rb"(\\multicolumn\{\d+\})" + _ARGUMENT), rb"\1{l}"),
)
"""LaTeX commands after which pandoc loses text -> replacements."""
_TEX_FILES = re.compile(rb"(?m)^[^%\n]*\\(?:input|include|verbatiminput|lstinputlisting)\b")
_TEX_KEYWORDS = re.compile(rb"pdfkeywords=\{([^{}]*)\}")
_TEX_SUBTITLE = re.compile(rb"\\subtitle(" + _ARGUMENT + rb")")


def _tex(data: bytes) -> Markup:
    data = _replaced(data, _TEX)
    head, begin, body = data.partition(b"\\begin{document}")
    above = b"".join(b"\n%b\n\n" % subtitle for subtitle in _TEX_SUBTITLE.findall(head) if begin)
    tags = b",".join(_TEX_KEYWORDS.findall(head)).decode()
    return Markup(head + begin + above + body, tags, len(_TEX_FILES.findall(data)))


_TAG = re.compile(rb"<[^<>]*>")
_JATS = (
    (re.compile(rb"</?sc\b[^<>]*>"), b""),
    (re.compile(rb"<string-name\b[^<>]*>([^<>]*)</string-name>"), rb"<name><surname>\1</surname></name>"),
    (re.compile(rb"<label\b[^<>]*>([^<>]*)</label>(\s*<caption\b[^<>]*>\s*<(?:title|p)\b[^<>]*>)"), rb"\2\1 "),
    (re.compile(rb"(<statement\b[^<>]*>\s*)<label\b[^<>]*>([^<>]*)</label>"), rb"\1<p>\2</p>"),
    (re.compile(rb"<(/?)ref-list\b[^<>]*>"), rb"<\1sec>"),
    (
        re.compile(rb"<ref\b[^<>]*>((?:(?!</?ref\b)[\s\S])*)</ref>"),
        lambda found: b"<p>%b</p>" % _TAG.sub(b" ", found[1]),
    ),
)
"""Elements whose text pandoc drops -> replacements, for labels, one-word names and references."""
_KEYWORDS = re.compile(rb"<(?:kwd|keyword)(?:\s[^<>]*)?>([^<>]*)<")
_NOTE = re.compile(rb"<fn\b([^<>]*)>((?:(?!</?fn\b)[\s\S])*)</fn>")
_IDENTIFIER = re.compile(rb"""\sid=["']([^"'<>]*)""")
_NOTES = re.compile(rb"<fn-group\b[^<>]*>((?:(?!</?fn-group\b)[\s\S])*)</fn-group>")
_REFERRED = re.compile(rb"""\srid=["']([^"'<>]*)""")
_DOCBOOK = (
    (
        re.compile(
            rb"(<(?:procedure|variablelist|orderedlist|itemizedlist|equation|glosslist|qandaset|calloutlist|segmentedlist)\b"
            rb"[^<>]*>\s*)<title>([^<>]*)</title>"
        ),
        rb"<bridgehead>\2</bridgehead>\1",
    ),
    (
        re.compile(
            rb"(<(?:section|sect\d|chapter|appendix|part)\b[^<>]*>\s*<title>[^<>]*)(</title>\s*)<subtitle>([^<>]*)</subtitle>"
        ),
        rb"\1: \3\2",
    ),
    (
        re.compile(rb"<biblioentry\b[^<>]*>((?:(?!</?biblioentry\b)[\s\S])*)</biblioentry>"),
        lambda found: b"<bibliomixed>%b</bibliomixed>" % _TAG.sub(b" ", found[1]),
    ),
    (re.compile(rb"<caption>((?:(?!</?caption\b)[\s\S])*)</caption>(\s*</mediaobject>)"), rb"\2\1"),
)


def _jats(data: bytes) -> Markup:
    referred = {*_REFERRED.findall(data)}

    def with_others(group: "re.Match[bytes]") -> bytes:
        others = b"".join(
            text for said, text in _NOTE.findall(group[1]) if referred.isdisjoint(_IDENTIFIER.findall(said))
        )
        return group[0] + (others and b"<sec>%b</sec>" % others)

    return _xml(_NOTES.sub(with_others, data), _JATS)


_Patterns = Iterable[tuple[re.Pattern[bytes], bytes | Callable[[re.Match[bytes]], bytes]]]


def _xml(data: bytes, patterns: _Patterns) -> Markup:
    data = _replaced(data, patterns)
    return Markup(data, html.unescape(b",".join(_KEYWORDS.findall(data)).decode()))


def _replaced(data: bytes, patterns: _Patterns) -> bytes:
    for pattern, text in patterns:
        data = pattern.sub(text, data)
    return data


_OBJECT = re.compile(r"\s*<[\w.]+(?: object)?(?: at \w+)?>\s*")
_SHOWN = {"text/markdown", "text/html", "text/latex"}


def _notebook(data: bytes) -> Markup:
    """Return a notebook with raw cells as Markdown; text in other formats becomes a code block.

    The text form of an output is dropped if it only names an object that a richer format shows.
    """
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError):
        return Markup(data)
    for cell in _entries(notebook, "cells"):
        if cell.get("cell_type") == "raw":
            text, said = _joined(cell.get("source", "")), cell.get("metadata")
            formats = {said.get("format"), said.get("raw_mimetype")} if isinstance(said, dict) else set()
            is_markdown = formats & {"markdown", "text/markdown"} or not text.strip()
            cell |= {"cell_type": "markdown", "source": text if is_markdown else code_block(text)}
        for shown in (output.get("data") for output in _entries(cell, "outputs")):
            if isinstance(shown, dict) and _SHOWN & {*shown} and _OBJECT.fullmatch(_joined(shown.get("text/plain"))):
                del shown["text/plain"]
    return Markup(json.dumps(notebook).encode())


def _entries(node: object, name: str) -> list[dict[str, object]]:
    """Return the dictionaries in a list of a node; empty if there is no such list."""
    entries = node.get(name) if isinstance(node, dict) else None
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _joined(text: object) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


PREPARE: dict[str, Callable[[bytes], Markup]] = {
    "org": _org, "rst": _rst, "tex": _tex, "latex": _tex, "ipynb": _notebook, "jats": _jats, "nxml": _jats,
    **dict.fromkeys(("docbook", "dbk"), partial(_xml, patterns=_DOCBOOK)),
}  # fmt: skip
