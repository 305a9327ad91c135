"""Markdown as Obsidian reads it -> tokens: CommonMark and tables, without HTML, and Obsidian's own signs."""

import re
from collections.abc import Iterator, MutableMapping, Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from pages.ui.shared.document import blocks, inline, wraps
from pages.ui.shared.safe import FOLLOWED, is_pasted

MAX_NESTING = 60
"""Deeper quotes and lists stay text of the block around them."""

_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")
_ID = re.compile(r"(?:^|[ \t\n])\^([A-Za-z0-9-]+)[ \t]*$")
_CALLOUT = re.compile(r"\[!([\w-]{1,30})\]([+-]?)[ \t]*([^\n]*)(?:\n|$)")
_TASK = re.compile(r"\[(.)\][ \t]+")
_ADDRESS = re.compile(
    r"https?://[^\s<>\"'`（），。；：！？、《》「」【】]*[^\s<>\"'`（），。；：！？、《》「」【】.,;:!?)\]*_~]"
)


def parse(text: str, environment: MutableMapping[str, Any]) -> list[Token]:
    """Return the tokens of a note's text; its footnotes are in the environment then."""
    return _parser().parse(text, environment)


@lru_cache(1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_NESTING}).enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline"])
    parser.validateLink = _is_followed  # type: ignore[method-assign]
    blocks.add(parser)
    inline.add(parser)
    parser.core.ruler.after("block", "obsidian", _obsidian)
    parser.core.ruler.after("inline", "addresses", _addresses)
    parser.core.ruler.push("wraps", wraps.unwrap)
    parser.core.ruler.push("embeds", _embeds)
    parser.core.ruler.push("blanks", _blanks)
    return parser


def _is_followed(url: str) -> bool:
    """Return whether an address makes a link or a picture; one of another scheme stays text."""
    scheme = _SCHEME.match(url)
    return scheme is None or scheme[1].lower() in FOLLOWED or is_pasted(url)


def _obsidian(state: StateCore) -> None:
    """Give blocks their ids, items their boxes, and callouts their titles."""
    tokens = state.tokens
    for number, token in enumerate(tokens):
        if token.type != "inline":
            continue
        before, above = tokens[number - 1], tokens[number - 2]
        if mark := _ID.search(token.content):
            token.content = token.content[: mark.start()]
            (above if above.type == "list_item_open" else before).attrSet("id", f"^{mark[1].casefold()}")
        if above.type == "list_item_open" and (box := _TASK.match(token.content)):
            above.meta = {"task": box[1], "line": token.map[0] if token.map else -1}
            token.content = token.content[box.end() :]
    state.tokens = list(_called_out(tokens))


def _called_out(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens, quotes that begin like a callout as callouts."""
    open_quotes: list[Token | None] = []
    for number, token in enumerate(tokens):
        if token.type == "blockquote_open":
            inside = tokens[number + 2 : number + 3]
            callout = _CALLOUT.match(inside[0].content) if inside and inside[0].type == "inline" else None
            open_quotes.append(token if callout else None)
            if callout:
                kind, fold, title = callout.groups()
                token.type, token.meta = "callout_open", {"kind": kind.lower(), "fold": fold}
                inside[0].content = inside[0].content[callout.end() :]
                yield token
                yield Token("callout_title_open", "", 1, level=token.level + 1, meta=token.meta)
                named = title.strip() or kind.replace("-", " ").capitalize()
                yield Token("inline", "", 0, content=named, children=[], level=token.level + 2)
                yield Token("callout_title_close", "", -1, level=token.level + 1, meta=token.meta)
                continue
        elif token.type == "blockquote_close" and (opening := open_quotes.pop()):
            token.type, token.meta = "callout_close", opening.meta
        yield token


def _addresses(state: StateCore) -> None:
    """Make links of bare addresses."""
    for token in state.tokens:
        if token.type != "inline" or "http" not in token.content:
            continue
        inside = 0
        children: list[Token] = []
        for child in token.children or ():
            inside += child.nesting if child.type.startswith("link_") else 0
            children += [child] if inside or child.type != "text" else _linked(child)
        token.children = children


def _linked(text: Token) -> Iterator[Token]:
    at = 0
    for address in _ADDRESS.finditer(text.content):
        yield Token("text", "", 0, content=text.content[at : address.start()], level=text.level)
        yield Token("link_open", "a", 1, attrs={"href": address[0]}, level=text.level)
        yield Token("text", "", 0, content=address[0], level=text.level + 1)
        yield Token("link_close", "a", -1, level=text.level)
        at = address.end()
    yield Token("text", "", 0, content=text.content[at:], level=text.level)


def _embeds(state: StateCore) -> None:
    """An embed that is alone in its paragraph is a block."""
    for number, token in enumerate(state.tokens):
        children = token.children or ()
        if token.type == "inline" and len(children) == 1 and children[0].type == "wikilink":
            before, after = state.tokens[number - 1], state.tokens[number + 1 : number + 2]
            if before.type == "paragraph_open" and after and children[0].meta["embed"]:
                children[0].meta["block"] = before.hidden = after[0].hidden = True


def _blanks(state: StateCore) -> None:
    """A paragraph of comments and anchors alone takes no room."""
    for number, token in enumerate(state.tokens):
        if token.type != "inline" or state.tokens[number - 1].type != "paragraph_open" or not token.content.strip():
            continue
        children = token.children or []
        if all(child.type in ("softbreak", "hardbreak", "text") and not child.content.strip() for child in children):
            token.children = []
            state.tokens[number - 1].hidden = state.tokens[number + 1].hidden = True
