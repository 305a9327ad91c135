"""Parse Obsidian's Markdown into tokens. It is CommonMark without HTML, plus tables and Obsidian's own syntax."""

import re
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from core.base.admonitions import INTERRUPTS, add_admonitions, delimited_block
from core.base.text import CHINESE, CJK
from core.model import ATTRIBUTES, TAG
from pages.ui.shared.safe import FOLLOWED, PASTED, html, is_pasted

Match = re.Match[str]

# Hard-wrapped notes, such as books and e-mails, in which a line break stands for a space.

# Widths, in characters, at which editors wrap lines.
_WIDTHS = range(50, 121)
# Minimum number of line breaks needed to detect a wrap width.
_LEAST = 4
# Maximum share of deliberate line breaks in a hard-wrapped note.
_MOST_OTHERS = 0.3
# Share of lines that are no longer than the wrap width. The rest may be longer, because links can't be broken.
_LONG = 0.9

# Text that can't be broken: a single CJK character, or other characters up to the next space.
_WORD = rf"\s*([{CJK}]|(?:(?![{CJK}])\S)*)"

# A line of text and the line that follows it.
Line = tuple[str, str]


def unwrap(state: StateCore) -> None:
    """Join the lines of a hard-wrapped note where the next word didn't fit on the line. Other notes stay as they are.

    The line break becomes a space, or nothing between Chinese characters. This is a core rule for markdown-it.
    """
    texts = [token for token in state.tokens if token.type == "inline" and "\n" in token.content]
    lines = [line for token in texts for line in _lines(token)]
    if len(lines) < _LEAST:
        return
    width = sorted(len(line) for line, _ in lines)[int(_LONG * (len(lines) - 1))]
    if width not in _WIDTHS or sum(_has_room(line, width) for line in lines) > _MOST_OTHERS * len(lines):
        return
    for token in texts:
        breaks = [child for child in token.children or () if child.type in ("softbreak", "hardbreak")]
        written = _lines(token)
        if len(breaks) != len(written):  # inline code continues on the next line
            continue
        for child, line in zip(breaks, written, strict=True):
            if child.type == "softbreak" and not _has_room(line, width):
                child.type = "text"
                before = line[0].rstrip()[-1:]
                after = line[1].lstrip()[:1]
                child.content = "" if CHINESE.match(before) and CHINESE.match(after) else " "


def _lines(token: Token) -> Sequence[Line]:
    return [*pairwise(token.content.split("\n"))]


def _has_room(line: Line, width: int) -> bool:
    """Return whether the first word of the next line would have fit on this line. If so, the break is deliberate."""
    word = re.match(_WORD, line[1])
    return len(line[0].rstrip()) + 1 + len(word[1] if word else "") <= width


# Blocks that aren't in CommonMark: formulas between `$$`, comments between `%%`, and footnotes.

_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,80})\]:[ \t]*")
MOST_FOOTNOTES = 1_000


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a footnote, including its indented paragraphs, and store it in the environment.

    Footnotes are rendered at the end of the note.
    """
    match = _FOOTNOTE.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if not match or state.is_code_block(start):
        return False
    if silent:
        return True
    last = start + 1
    while last < end and (state.isEmpty(last) or state.sCount[last] >= state.blkIndent + 2):
        last += 1
    footnotes = state.env.setdefault("footnotes", {})
    if len(footnotes) < MOST_FOOTNOTES:
        rest = state.getLines(start + 1, last, state.blkIndent + 4, False)
        footnotes.setdefault(match[1], f"{state.src[match.end() : state.eMarks[start]]}\n{rest}".strip())
    state.line = last
    return True


# Maximum nesting depth. More deeply nested quotes and lists are kept as text.
MAX_NESTING = 60

_ID = r"(?:^|[ \t\n])\^([A-Za-z0-9-]+)[ \t]*$"
_CALLOUT = r"\[!(?P<kind>[\w-]{1,30})\](?P<fold>[+-]?)[ \t]*(?P<title>[^\n]*)(?:\n|$)"
_ADDRESS = r"https?://[^\s<>\"'`（），。；：！？、《》「」【】]*[^\s<>\"'`（），。；：！？、《》「」【】.,;:!?)\]*_~]"


def parse(text: str, environment: MutableMapping[str, object]) -> list[Token]:
    """Parse a note's text into tokens, and store its footnotes in the environment."""
    return markdown().parse(text, environment)


@lru_cache(1)
def markdown() -> MarkdownIt:
    """Return the Markdown parser for notes. Its options are also used for rendering."""
    parser = MarkdownIt(
        "commonmark", {"html": False, "maxNesting": MAX_NESTING, "breaks": True, "xhtmlOut": False}
    ).enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline"])
    parser.validateLink = _is_followed  # type: ignore[method-assign]
    blocks = parser.block.ruler
    for name, sign in (("math_block", "$$"), ("comment_block", "%%")):
        blocks.before("fence", name, delimited_block(name, sign), INTERRUPTS)
    blocks.before("reference", "footnote", _footnote, INTERRUPTS)
    add_admonitions(parser)
    rules = {
        "wikilink": _rule(_WIKILINK, _wikilink),
        "footnote": _rule(
            _FOOTNOTE_MARK, _footnote_mark, lambda state, match: match[1] in state.env.get("footnotes", ())
        ),
        "math": _rule(_MATH, _math),
        "hidden": _hidden,
        "mark": _rule(_MARK, _mark),
        "attributes": _rule(_ATTRIBUTES, lambda *_: None),
        "tag": _rule(_TAG, _tag, lambda state, _: not state.linkLevel),
        "plain": _rule(_PLAIN, _plain),
        "anchor": _rule(_ANCHOR, lambda *_: None),
        "picture": _picture,
    }
    for name, rule in rules.items():
        parser.inline.ruler.before("link", name, rule)
    ruler = parser.core.ruler
    ruler.after("block", "obsidian", _obsidian)
    ruler.after("inline", "addresses", _addresses)
    ruler.push("wraps", unwrap)
    ruler.push("lone", _hide_paragraphs)
    return parser


def _is_followed(url: str) -> bool:
    """Return whether a URL is allowed in a link or picture. If it isn't, the source stays text."""
    scheme = re.match(r"\s*([A-Za-z][A-Za-z0-9+.-]*):", url)
    return scheme is None or scheme[1].lower() in FOLLOWED or is_pasted(url)


def _obsidian(state: StateCore) -> None:
    """Turn Obsidian's block ids, task checkboxes and callouts into tokens and attributes."""
    tokens = state.tokens
    for number, token in enumerate(tokens):
        if token.type != "inline":
            continue
        before = tokens[number - 1]
        above = tokens[number - 2]
        if mark := re.search(_ID, token.content):
            token.content = token.content[: mark.start()]
            (above if above.type == "list_item_open" else before).attrSet("id", f"^{mark[1].casefold()}")
        if above.type == "list_item_open" and (box := re.match(r"\[(.)\][ \t]+", token.content)):
            above.meta = {"task": box[1], "line": token.map[0] if token.map else -1}
            token.content = token.content[box.end() :]
    state.tokens = list(_called_out(tokens))


def _called_out(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens. Block quotes that begin like a callout become callouts, and callouts get title tokens."""
    open_quotes = []
    for number, token in enumerate(tokens):
        if token.type in ("blockquote_open", "callout_open"):
            inside = tokens[number + 2 : number + 3]
            is_quote = not token.meta and inside and inside[0].type == "inline"
            callout = re.match(_CALLOUT, inside[0].content) if is_quote else None
            known = callout.groupdict() if callout else token.meta
            open_quotes.append(token if known else None)
            if known:
                kind, fold, title = (known[name] for name in ("kind", "fold", "title"))
                if callout:
                    inside[0].content = inside[0].content[callout.end() :]
                token.type = "callout_open"
                token.tag = "details" if fold else "div"
                token.attrs |= {"class": f"callout of-{kind.lower() or 'tab'}"} | ({"open": ""} if "+" in fold else {})
                token.block = False
                head = "summary" if fold else "div"
                yield token
                yield Token("callout_title_open", head, 1, attrs={"class": "callout-title"}, level=token.level + 1)
                yield Token(
                    "inline",
                    "",
                    0,
                    content=title.strip() or kind.replace("-", " ").capitalize(),
                    children=[],
                    level=token.level + 2,
                )
                yield Token("callout_title_close", head, -1, level=token.level + 1)
                continue
        elif token.type in ("blockquote_close", "callout_close") and (opening := open_quotes.pop()):
            token.type = "callout_close"
            token.tag = opening.tag
        yield token


def _addresses(state: StateCore) -> None:
    """Turn bare URLs into links."""
    for token in state.tokens:
        if token.type != "inline" or "http" not in token.content:
            continue
        inside = 0
        children: list[Token] = []
        for child in token.children or ():
            inside += child.nesting if child.type.startswith("link_") else 0
            children += [child] if inside or child.type != "text" else _link_addresses(child)
        token.children = children


def _link_addresses(text: Token) -> Iterator[Token]:
    at = 0
    for address in re.finditer(_ADDRESS, text.content):
        yield Token("text", "", 0, content=text.content[at : address.start()], level=text.level)
        yield Token("link_open", "a", 1, attrs={"href": address[0]}, level=text.level)
        yield Token("text", "", 0, content=address[0], level=text.level + 1)
        yield Token("link_close", "a", -1, level=text.level)
        at = address.end()
    yield Token("text", "", 0, content=text.content[at:], level=text.level)


def _hide_paragraphs(state: StateCore) -> None:
    """Hide the tags of paragraphs that contain only an embedded note or file, or only comments and anchors."""
    for number, token in enumerate(state.tokens):
        if token.type != "inline" or state.tokens[number - 1].type != "paragraph_open" or not token.content.strip():
            continue
        children = token.children or []
        if [child.type for child in children] == ["wikilink"] and children[0].meta["embed"]:
            children[0].meta["block"] = True
        elif all(child.type in ("softbreak", "hardbreak", "text") and not child.content.strip() for child in children):
            token.children = []
        else:
            continue
        state.tokens[number - 1].hidden = state.tokens[number + 1].hidden = True


# Formulas as one line of HTML. TeX commands become letters, symbols, superscripts and subscripts.

_SIGNS = dict(
    item.split("=")
    for item in (
        "alpha=α beta=β gamma=γ delta=δ epsilon=ε varepsilon=ε zeta=ζ eta=η theta=θ iota=ι kappa=κ lambda=λ mu=μ nu=ν "
        "xi=ξ pi=π rho=ρ sigma=σ tau=τ phi=φ varphi=φ chi=χ psi=ψ omega=ω Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π "
        "Sigma=Σ Phi=Φ Psi=Ψ Omega=Ω times=× cdot=· pm=± leq=≤ le=≤ geq=≥ ge=≥ neq=≠ ne=≠ approx=≈ sim=∼ in=∈ notin=∉ "
        "subset=⊂ cup=∪ cap=∩ to=→ rightarrow=→ leftarrow=← Rightarrow=⇒ mapsto=↦ infty=∞ partial=∂ nabla=∇ sum=∑ prod=∏ "
        "int=∫ sqrt=√ ldots=… cdots=… dots=… vdots=⋮ forall=∀ exists=∃ odot=⊙ oplus=⊕ otimes=⊗ mid=| top=⊤ circ=∘ ast=∗ "
        "ell=ℓ propto=∝ equiv=≡ langle=⟨ rangle=⟩ lVert=‖ rVert=‖ prime=′ star=⋆ land=∧ lor=∨ neg=¬ perp=⊥"
    ).split()
)
_NAMES = frozenset("exp log ln sin cos tan tanh max min argmax argmin arg lim det dim ker sup inf Pr".split())
_FRACTION = r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"


def formula(tex: str) -> str:
    """Return a formula, with or without dollar signs, as one line of HTML. Unknown commands are dropped."""
    text = " ".join(tex.strip("$").split())
    for _ in range(3):
        text = re.sub(_FRACTION, r"(\1)/(\2)", text)
    text = html(re.sub(r"(?s)\\([A-Za-z]+)\*?( ?)|\\(.)", _sign, text).replace("&", " "))
    for _ in range(3):
        text = re.sub(r"([_^])(?:\{([^{}]*)\}|(\S))", _script, text)
    return f'<span class="t-math">{" ".join(re.sub("[{}]", "", text).split())}</span>'


def _sign(match: Match) -> str:
    name, space, other = match.groups()
    if name is None:
        return other if other in "{}%_#$|" else " "
    sign = _SIGNS.get(name, name if name in _NAMES else "")
    return sign + space if sign else ""


def _script(match: Match) -> str:
    tag = "sub" if match[1] == "_" else "sup"
    return f"<{tag}>{match[3] or match[2]}</{tag}>"


# Inline syntax that isn't in CommonMark: `[[links]]`, `==marks==`, `$formulas$`, `%%comments%%`, #tags.

_WIKILINK = re.compile(r"(!?)\[\[(?=[ #^]*[^ #^\[\]|\n])([^\[\]|\n]{0,500})(?:\|([^\[\]\n]{0,500}))?\]\]")
_MATH = re.compile(r"(?s)\$\$([^$]{1,4000})\$\$|\$(?![\s$])((?:\\.|[^$\\]){0,2000}[^\s$\\]|[^\s$\\])\$(?!\d)")
# Marks that begin and end a comment.
_HIDDEN = {"%%": "%%", "<!--": "-->"}
_MARK = re.compile(r"==(?=[^\s=])([^\n]{0,2000}?[^\s=])==(?!=)")
_TAG = re.compile(TAG)
_ATTRIBUTES = re.compile(ATTRIBUTES)
_FOOTNOTE_MARK = re.compile(r"\[\^([^\]\s]{1,80})\]")
# HTML tags without attributes, for formatting not available in Markdown.
_PLAIN = re.compile(r"(?i)<(br|/?(?:kbd|sub|sup|u))\s*/?>")
# An empty HTML anchor with no attributes other than its name.
_ANCHOR = re.compile(
    r"""<a\s+(?:id|name)\s*=\s*(?:"[^"<>\n]{0,200}"|'[^'<>\n]{0,200}'|[\w.:-]{1,200})\s*(?:/>|>\s*</a>)""", re.I
)

_PASTED = re.compile(
    rf"""(?i)!\[(?P<words>[^\[\]\n]{{0,500}})\]\(<?(?P<picture>{PASTED})>?(?:\s+"[^"\n]{{0,500}}")?\s{{0,9}}\)""",
)
_PASTED_HTML = re.compile(
    rf"""(?i)<img\s(?:[^<>]{{0,500}}\s)?src\s?=\s?["']?(?P<picture>{PASTED})["']?(?:\s[^<>]{{0,500}})?/?>"""
)
_WIDTH = r"""(?i)\swidth\s?=\s?["']?(\d{1,4})"""
_WORDS = r"""(?i)\salt\s?=\s?(["'])(.*?)\1"""


def _rule(
    pattern: re.Pattern[str],
    read: Callable[[StateInline, Match], None],
    allows: Callable[[StateInline, Match], bool] = lambda *_: True,
) -> Callable[[StateInline, bool], bool]:
    """Return an inline rule for a pattern. If `allows` accepts a match, `read` adds its tokens."""

    def rule(state: StateInline, silent: bool) -> bool:
        match = pattern.match(state.src, state.pos, state.posMax)
        if not match or not allows(state, match):
            return False
        if not silent:
            read(state, match)
        state.pos = match.end()
        return True

    return rule


def _wikilink(state: StateInline, match: Match) -> None:
    target = match[2].removesuffix("\\").strip()
    state.push("wikilink", "", 0).meta = {
        "target": target,
        "words": (match[3] or "").strip(),
        "embed": bool(match[1]),
        "block": False,
    }


def _footnote_mark(state: StateInline, match: Match) -> None:
    order = state.env.setdefault("footnote_order", [])
    if match[1] not in order:
        order.append(match[1])
    state.push("footnote_ref", "", 0).meta = {"number": order.index(match[1]) + 1}


def _math(state: StateInline, match: Match) -> None:
    token = state.push("math_inline", "", 0)
    token.content = match[1] or match[2]
    token.meta = {"block": match[1] is not None}


def _hidden(state: StateInline, silent: bool) -> bool:
    for opening, closing in _HIDDEN.items():
        if state.src.startswith(opening, state.pos):
            end = state.src.find(closing, state.pos + len(opening), state.posMax)
            if end >= 0:
                state.pos = end + len(closing)
                return True
    return False


def _mark(state: StateInline, match: Match) -> None:
    most = state.posMax
    state.push("mark_open", "mark", 1)
    state.pos = match.start(1)
    state.posMax = match.end(1)
    state.md.inline.tokenize(state)
    state.push("mark_close", "mark", -1)
    state.posMax = most


def _tag(state: StateInline, match: Match) -> None:
    state.push("tag", "", 0).content = match[0]


def _plain(state: StateInline, match: Match) -> None:
    name = match[1].lower()
    state.push("hardbreak" if name == "br" else "plain_html", "", 0).content = name


def _picture(state: StateInline, silent: bool) -> bool:
    """Parse a picture embedded as a `data:` URL, in Markdown or HTML.

    Without this rule, markdown-it would take a second per megabyte.
    """
    match = _PASTED.match(state.src, state.pos, state.posMax) or _PASTED_HTML.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        token = state.push("image", "img", 0)
        token.attrs = {"src": match["picture"]}
        around = match[0].replace(match["picture"], "")
        alt = re.search(_WORDS, around)
        width = re.search(_WIDTH, around)
        words = match["words"] if match.re is _PASTED else f"{alt[2] if alt else ''}|{width[1] if width else ''}"
        token.content = words
        token.children = [Token("text", "", 0, content=words)]
    state.pos = match.end()
    return True
