"""Hide literals in inline Markdown, extract its links and tags, and produce its visible text.

A literal is a part of the text that isn't parsed any further, such as a code span, wikilink, HTML tag, comment, address
or escaped character. If two literals overlap, the first one counts, as in CommonMark. All scans take linear time.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from html import unescape

from markdown_it.common.utils import normalizeReference
from markdown_it.rules_inline.balance_pairs import processDelimiters
from markdown_it.rules_inline.state_inline import Delimiter

from core.base.blobs import remove_blobs
from core.base.frozen import frozen
from core.base.text import collapse_spaces, compose, fold, shorten
from core.markdown.parser import Parsed
from core.model import ATTRIBUTES, FORMULA, TAG, TAG_NAME, TAGS_FOLLOW

# Placeholder for a literal, with its number. The text itself contains no NULs, because markdown-it replaces them.
PLACE = re.compile(r"\0(\d+)\0")

_LITERAL = re.compile(
    r"""
      (?P<ticks>`+)
    | \\(?P<escaped>[!-/:-@\[-`{-~])
    | !?\[\[(?P<target>[^\[\]|\n]{0,500})(?:\|(?P<alias>[^\[\]\n]{0,500}))?\]\]
    | (?P<opening>%%|<!--|<\?)
    | <![A-Za-z][^<>]*>
    | <(?P<address>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\s]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+)>
    | <[A-Za-z][\w-]*+(?:\s+[A-Za-z_:][\w.:-]*+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]++))?)*+\s*/?>
    | </[A-Za-z][\w-]*+\s*>
    """,
    re.VERBOSE,
)
# Text in which no literal starts. Matching such text is four times as fast as searching for a literal, which matters
# for pasted pictures.
_PLAIN = re.compile(r"[^`\\!\[%<]*+")


@frozen
class Literal:
    """A literal, with its Markdown, its visible text, and its target.

    The target is None if the literal isn't a wikilink.
    """

    raw: str
    visible: str = ""
    target: str | None = None


@frozen
class Inline:
    """Inline Markdown in which each literal is replaced by a placeholder (see PLACE)."""

    text: str
    literals: Sequence[Literal]

    def raw(self, text: str) -> str:
        """Return a part of the text in which each placeholder is replaced by its literal's Markdown."""
        return PLACE.sub(lambda place: self.literals[int(place[1])].raw, text)

    def unescaped(self, address: str) -> str:
        """Return an address with placeholders replaced by their literals, and with escapes resolved."""

        def restored(place: re.Match[str]) -> str:
            literal = self.literals[int(place[1])]
            return literal.visible if literal.raw.startswith("\\") else literal.raw

        return PLACE.sub(restored, address)


def hide(text: str) -> Inline:
    """Return inline Markdown with its literals replaced by placeholders."""
    literals = list[Literal]()
    pieces = []
    closers: dict[str, list[int]] = {}
    start = at = 0
    while (plain := _PLAIN.match(text, at)) and (at := plain.end()) < len(text):
        match = _LITERAL.match(text, at)
        literal, end = _literal(text, match, closers) if match else (None, at + 1)
        if match and literal:
            pieces.append(f"{text[start : match.start()]}\0{len(literals)}\0")
            literals.append(literal)
            start = end
        at = end
    pieces.append(text[start:])
    return Inline("".join(pieces), literals)


def prose(parsed: Parsed) -> Iterator[tuple[str, bool]]:
    """Yield each block of inline Markdown in reading order, and whether it is a heading.

    HTML blocks are included, except for code and comments in them. The indented paragraphs of a footnote are included
    too, although CommonMark treats them as code.
    """
    footnote = False
    for token in parsed.tokens:
        was_footnote = footnote
        footnote = False
        match token.type:
            case "paragraph_open" | "heading_open":
                footnote = token.content.startswith("[^") and parsed.is_footnote(token)
                yield token.content, token.type == "heading_open"
            case "code_block" if was_footnote:
                footnote = True
                yield token.content, False
            case "definition" if parsed.is_footnote(token):
                start, end = parsed.span(token)
                footnote = True
                yield parsed.body[start:end].replace("\0", "\ufffd"), False
            case "table_open":
                for row in token.content.split("\n"):
                    yield row, False
            case "html_block":
                raw = r"(?is)<!--.*?(?:-->|\Z)|<(pre|code|script|style|textarea)\b.*?(?:</\1\s*>|\Z)"
                yield re.sub(raw, "`", token.content), False


def _literal(text: str, match: re.Match[str], closers: dict[str, list[int]]) -> tuple[Literal | None, int]:
    """Return the literal that begins with a match, or None if the match is plain text, and the offset after it.

    `closers` caches the positions of all marks that end code spans and comments.
    """
    start, end = match.span()
    kind = match.lastgroup
    if kind in ("ticks", "opening"):
        closing = {"<!--": "-->", "<?": "?>"}.get(match[0], match[0])
        if not closers:
            closers[""] = []
            for mark in re.finditer(r"`+|%%|-->|\?>", text):
                closers.setdefault(mark[0], []).append(mark.start())
        places = closers.get(closing, [])
        # In CommonMark, `<!-->` is a complete comment.
        number = bisect_left(places, end if kind == "ticks" else start + 2)
        if number == len(places):
            return None, end
        closer = places[number]
        stop = closer + len(closing)
        return Literal(text[start:stop], text[end:closer].strip() if kind == "ticks" else ""), stop
    if kind in ("target", "alias"):
        target = match["target"]
        return Literal(match[0], match["alias"] or target.lstrip("#").replace("#", " > "), target), end
    return Literal(match[0], match[kind] if kind else ""), end


# Pattern for the destination after a link's `]`, which is an address, optionally with a title.
DESTINATION = r"\(\s*+(?P<address><[^<>]*>|(?>[^()\s]+|\([^()\s]*\))*+)(?:\s++(?:\"[^\"]*\"|'[^']*'))?\s*+\)"


@frozen
class Link:
    """A link's target: a note and a heading for a wikilink (`wiki`), or else an address."""

    target: str
    wiki: bool = False


def extract_links(inline: Inline) -> tuple[Inline, list[Link]]:
    """Return inline Markdown without its link destinations, and the links in order."""
    links = []
    depth = 0

    def read(match: re.Match[str]) -> str:
        nonlocal depth
        if match["literal"]:
            target = inline.literals[int(match["literal"])].target
            if target is not None:
                links.append(Link(target, wiki=True))
            return match[0]
        if match[0] == "[":
            depth += 1
            return "["
        opened = depth > 0
        depth = max(0, depth - 1)
        if match["address"] is None or not opened:
            return match[0]
        links.append(link_to(inline.unescaped(match["address"])))
        return "]"

    return replace(inline, text=re.sub(rf"\[|\](?:{DESTINATION})?|\0(?P<literal>\d+)\0", read, inline.text)), links


def link_to(address: str) -> Link:
    """Return the link for an address, which may be in angle brackets."""
    return Link(address[1:-1] if address[:1] == "<" and address[-1:] == ">" else address)


MAX_TITLE = 1_000


def visible_text(text: str, references: Collection[str]) -> str:
    """Return the visible text of inline Markdown, without marks and addresses, truncated to MAX_TITLE characters.

    `references` are the normalized labels of the note's link definitions.
    """
    # If a picture's data is part of the text, keep only the description.
    text = remove_blobs(re.sub(r"(?i)!\[([^\[\]]{0,200})\]\(data:[^()\s]*\)", r"\1", text))
    text = shorten(collapse_spaces(text[: MAX_TITLE + 1]), MAX_TITLE)
    if re.fullmatch(r"[^`*_~=\[\]<\\&%{^]*", text):
        return text
    # Drop a heading's attributes, in the syntax of Pandoc or Python-Markdown, or a block's id.
    inline = hide(re.sub(r"\s+(?:\{:?\s*[#.][^{}]*\}|\^[\w-]+)$", "", text))

    def referred(match: re.Match[str]) -> str:
        return match[1] if normalizeReference(inline.raw(match[2] or match[1])) in references else match[0]

    text = re.sub(r"!\[([^\[\]]*)\]" + DESTINATION, r"\1", inline.text)
    text = re.sub(r"\[(?!\^)([^\[\]]*)\]" + DESTINATION, r"\1", text)
    text = re.sub(r"!?\[(?!\^)([^\[\]]+)\](?:\[([^\[\]]*)\])?", referred, text)
    text = re.sub(r"&#?\w+;", lambda entity: unescape(entity[0]), _without_signs(text))
    text = PLACE.sub(lambda place: inline.literals[int(place[1])].visible, text)
    return collapse_spaces(text)


def _without_signs(text: str) -> str:
    """Remove the marks for emphasis, strikethrough and highlighting, paired by CommonMark's rules.

    Unlike in CommonMark, punctuation next to a mark counts as a letter, because Chinese has no space after punctuation.
    """
    delimiters = []
    for run in re.finditer(r"\*+|_+|~~|==", text):
        before = text[: run.start()][-1:] or " "
        after = text[run.end() :][:1] or " "
        sign = run[0][0]
        inside_word = sign == "_" and before.isalnum() and after.isalnum()
        opens = not (after.isspace() or inside_word)
        closes = not (before.isspace() or inside_word)
        single = sign in "*_"
        delimiters += [
            Delimiter(ord(sign), len(run[0]) if single else 0, at, -1, opens, closes)
            for at in (range(*run.span()) if single else [run.start()])
        ]
    processDelimiters(None, delimiters)  # type: ignore[arg-type]  # the state isn't used
    hidden = {
        place for opener in delimiters if opener.end >= 0 for place in (opener.token, delimiters[opener.end].token)
    }
    hidden |= {place + 1 for place in hidden if text[place] in "~="}
    return "".join(char for at, char in enumerate(text) if at not in hidden)


_WRITTEN = re.compile(rf"://[^\s<>()]*|{ATTRIBUTES}|{FORMULA}|{TAG}|\0(?P<literal>\d+)\0\#(?P<after>{TAG_NAME})")


def normalize_tag(text: str) -> str:
    """Return a tag in its stored form: composed (NFC), without # and without surrounding white space."""
    return compose(text.strip().lstrip("#＃").strip())


def trim_tag(text: str) -> str:
    """Return the tag in text matched by TAG_NAME, without trailing `/` and `-`, which aren't part of the tag."""
    return compose(text.rstrip("/-"))


def tag_key(text: str) -> str:
    """Return a key for comparing tags that ignores case, width, and traditional versus simplified characters."""
    return fold(normalize_tag(text))


def with_parents(tag: str) -> Iterator[str]:
    """Yield a tag and its parent tags, for example `a/b` and then `a`."""
    while tag:
        yield tag
        tag = tag.rpartition("/")[0].rstrip("/")


def split_tags(text: str) -> Iterator[str]:
    """Return the tags in an entry of front matter, which are separated by commas or each begin with #."""
    return filter(None, map(normalize_tag, re.split(r"[,，]|\s(?=#)", text)))


def tags_in(inline: Inline) -> Iterator[str]:
    """Yield the tags in inline Markdown from which link destinations have been removed."""
    for match in _WRITTEN.finditer(inline.text):
        literal = match["literal"]
        if match["tag"] or (literal and re.match(f"[{TAGS_FOLLOW}]", inline.literals[int(literal)].raw[-1])):
            yield trim_tag(match["tag"] or match["after"])
