"""Rewriting of Org, reStructuredText, LaTeX, XML and notebooks so that pandoc reads all of their text."""

import html
import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from core.base.codec import objects
from core.markdown.writing import code_block


class Markup(NamedTuple):
    """Text prepared for pandoc, the document's tags, and the number of included files left out."""

    data: bytes
    tags: str = ""
    files: int = 0


_ORG_TAGS = re.compile(rb"(?im)^[ \t]*#\+filetags:(.*)$")


def _list_properties(drawer: "re.Match[bytes]") -> bytes:
    """Return a property drawer, followed by a list of the properties meant for people rather than programs."""
    for_programs = rb"(?i)(?:custom_)?id|class|header-args.*|unnumbered|visibility|export_.*|cookie_data|columns"
    items = b"".join(
        b"- %b: %b\n" % (name, value)
        for name, value in re.findall(rb":([^\s:]+):[ \t]*(.*)", drawer[1])
        if value.strip() and not re.fullmatch(for_programs, name)
    )
    return drawer[0] + (items and b"\n\n%b\n" % items)


_Patterns = Iterable[tuple[bytes, bytes | Callable[["re.Match[bytes]"], bytes]]]
# Replacements for properties and for settings that hide text from pandoc.
_ORG: _Patterns = (
    (rb"(?im)^[ \t]*#\+(?:options|exclude_tags|select_tags|results)(?:\[[^]\n]*\])?:.*$", b""),
    (rb"(?im)^([ \t]*#\+begin_src\b.*?)[ \t]:exports[ \t]+\w+", rb"\1"),
    (rb"(?m)^(\*+[ \t]+)((?:[A-Z]+[ \t]+)?)COMMENT\b[ \t]*", rb"\1\2"),
    (rb"(?im)^(\*+[ \t].*?)(?:(?<=[ \t]):noexport:[ \t]*$|:noexport(?=:))", rb"\1"),
    # A caption without a figure. Pandoc's own Org output has such captions below tables and above targets.
    (rb"(?im)^[ \t]*#\+caption(?:\[[^]\n]*\])?:[ \t]*+(.*)\n(?=[ \t]*(?:\n|<<|\Z))", rb"\n\1\n\n"),
    (
        rb"(?im)^[ \t]*:PROPERTIES:[ \t]*\n((?:[ \t]*:(?!PROPERTIES:)[^\s:]+:.*\n)*)[ \t]*:END:[ \t]*$",
        _list_properties,
    ),
)


def _org(data: bytes) -> Markup:
    tags = b",".join(found.strip(b" \t\r:").replace(b":", b",") for found in _ORG_TAGS.findall(data))
    text, files = re.subn(rb"(?im)^[ \t]*#\+(?:include|setupfile):.*$", b"", _ORG_TAGS.sub(b"", data))
    # These settings make pandoc read archived trees, drawers and task dates.
    return Markup(b"#+OPTIONS: arch:t d:t p:t\n" + _replaced(text, _ORG), tags.decode(), files)


def without_files(data: bytes) -> tuple[bytes, int]:
    """Remove reStructuredText directives that include a file or a URL. Return the text and the number removed."""
    count = 0

    def kept(directive: "re.Match[bytes]") -> bytes:
        nonlocal count
        _, name, argument, content = directive.groups()
        is_file = bool(
            (name.lower() in (b"include", b"literalinclude") and argument)
            or re.search(rb"(?m)^\s*:(?:file|url):", content)
        )
        count += is_file
        return b"\n" if is_file else directive[0]

    return re.sub(
        rb"(?m)^([ \t]*)\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([\w-]+)::[ \t]*(\S?).*\n?((?:\1[ \t]+\S.*\n?|[ \t]*\n)*+)",
        kept,
        data,
    ), count


def _rst(data: bytes) -> Markup:
    text, files = without_files(data)
    return Markup(
        re.sub(
            rb"(?m)^([ \t]*)\.\.[ \t]+(?:(\w+):([\w-]+)|(function|method|class|attribute|data|exception))::"
            rb"[ \t]*(\S[^`\n]*)$",
            _describe,
            text,
        ),
        "",
        files,
    )


def _describe(directive: "re.Match[bytes]") -> bytes:
    """Rewrite the directive for a function, class or HTTP route so that pandoc reads its argument."""
    indent, domain, kind, plain, signature = directive.groups()
    name = kind.upper() if domain == b"http" else kind or plain
    return b"%b.. describe:: ``%b %b``" % (indent, name, signature.strip())


_ARGUMENT = rb"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
# Replacements for LaTeX commands after which pandoc loses text.
_TEX: _Patterns = (
    (rb"(\\begin\{description\})(?:(?!\\(?:item|begin)\b)[\s\S]){0,400}(?=\\item\b)", rb"\1\n"),
    (rb"\\(?:pandocbounded|fbox|todo|marginpar|marginnote|sidenote)(?=\{)", b""),
    (rb">\{[^{}]*\\arraybackslash\s*\}", b""),
    (rb"\\multirow(?:\[\w\])?\{-?\d+\}(?:\*|" + _ARGUMENT + rb")", b""),
    (rb"(\\multicolumn\{\d+\})" + _ARGUMENT, rb"\1{l}"),
)


def _tex(data: bytes) -> Markup:
    data = _replaced(data, _TEX)
    head, begin, body = data.partition(b"\\begin{document}")
    above = b"".join(
        b"\n%b\n\n" % subtitle for subtitle in re.findall(rb"\\subtitle(" + _ARGUMENT + rb")", head) if begin
    )
    tags = b",".join(re.findall(rb"pdfkeywords=\{([^{}]*)\}", head)).decode()
    return Markup(
        head + begin + above + body,
        tags,
        len(re.findall(rb"(?m)^[^%\n]*\\(?:input|include|verbatiminput|lstinputlisting)\b", data)),
    )


_TAG = re.compile(rb"<[^<>]*>")
# Replacements for elements whose text pandoc drops: labels, one-word names and references.
_JATS: _Patterns = (
    (rb"</?sc\b[^<>]*>", b""),
    (rb"<string-name\b[^<>]*>([^<>]*)</string-name>", rb"<name><surname>\1</surname></name>"),
    (rb"<label\b[^<>]*>([^<>]*)</label>(\s*<caption\b[^<>]*>\s*<(?:title|p)\b[^<>]*>)", rb"\2\1 "),
    (rb"(<statement\b[^<>]*>\s*)<label\b[^<>]*>([^<>]*)</label>", rb"\1<p>\2</p>"),
    (rb"<(/?)ref-list\b[^<>]*>", rb"<\1sec>"),
    (
        rb"<ref\b[^<>]*>((?:(?!</?ref\b)[\s\S])*)</ref>",
        lambda found: b"<p>%b</p>" % _TAG.sub(b" ", found[1]),
    ),
)
_DOCBOOK: _Patterns = (
    (
        rb"(<(?:procedure|variablelist|orderedlist|itemizedlist|equation|glosslist|qandaset|calloutlist|segmentedlist)\b"
        rb"[^<>]*>\s*)<title>([^<>]*)</title>",
        rb"<bridgehead>\2</bridgehead>\1",
    ),
    (
        rb"(<(?:section|sect\d|chapter|appendix|part)\b[^<>]*>\s*<title>[^<>]*)(</title>\s*)<subtitle>([^<>]*)</subtitle>",
        rb"\1: \3\2",
    ),
    (
        rb"<biblioentry\b[^<>]*>((?:(?!</?biblioentry\b)[\s\S])*)</biblioentry>",
        lambda found: b"<bibliomixed>%b</bibliomixed>" % _TAG.sub(b" ", found[1]),
    ),
    (rb"<caption>((?:(?!</?caption\b)[\s\S])*)</caption>(\s*</mediaobject>)", rb"\2\1"),
)


def _jats(data: bytes) -> Markup:
    referred = {*re.findall(rb"""\srid=["']([^"'<>]*)""", data)}

    def with_others(group: "re.Match[bytes]") -> bytes:
        others = b"".join(
            text
            for attributes, text in re.findall(rb"<fn\b([^<>]*)>((?:(?!</?fn\b)[\s\S])*)</fn>", group[1])
            if referred.isdisjoint(re.findall(rb"""\sid=["']([^"'<>]*)""", attributes))
        )
        return group[0] + (others and b"<sec>%b</sec>" % others)

    return _xml(re.sub(rb"<fn-group\b[^<>]*>((?:(?!</?fn-group\b)[\s\S])*)</fn-group>", with_others, data), _JATS)


def _xml(data: bytes, patterns: _Patterns) -> Markup:
    data = _replaced(data, patterns)
    return Markup(
        data, html.unescape(b",".join(re.findall(rb"<(?:kwd|keyword)(?:\s[^<>]*)?>([^<>]*)<", data)).decode())
    )


def _replaced(data: bytes, patterns: _Patterns) -> bytes:
    for pattern, text in patterns:
        data = re.sub(pattern, text, data)
    return data


def _notebook(data: bytes) -> Markup:
    """Convert a notebook's raw cells to Markdown cells. Any raw cell that isn't Markdown becomes a code block.

    Plain-text output such as `<Figure size 640x480>` is dropped if the same output also has a richer form.
    """
    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError):
        return Markup(data)
    for cell in objects(notebook, "cells"):
        if cell.get("cell_type") == "raw":
            text = _joined(cell.get("source", ""))
            metadata = cell.get("metadata")
            formats = {metadata.get("format"), metadata.get("raw_mimetype")} if isinstance(metadata, dict) else set()
            is_markdown = formats & {"markdown", "text/markdown"} or not text.strip()
            cell |= {"cell_type": "markdown", "source": text if is_markdown else code_block(text)}
        for shown in (output.get("data") for output in objects(cell, "outputs")):
            if (
                isinstance(shown, dict)
                and {"text/markdown", "text/html", "text/latex"} & {*shown}
                and re.fullmatch(r"\s*<[\w.]+(?: object)?(?: at \w+)?>\s*", _joined(shown.get("text/plain")))
            ):
                del shown["text/plain"]
    return Markup(json.dumps(notebook).encode())


def _joined(text: object) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


PREPARE: dict[str, Callable[[bytes], Markup]] = {
    "org": _org, "rst": _rst, "tex": _tex, "latex": _tex, "ipynb": _notebook, "jats": _jats, "nxml": _jats,
    **dict.fromkeys(("docbook", "dbk"), partial(_xml, patterns=_DOCBOOK)),
}  # fmt: skip
