"""Inline syntax beyond CommonMark: `[[links]]`, `==marks==`, `$formulas$`, `%%comments%%`, #tags."""

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from core.model import TAG
from pages.ui.shared.safe import PASTED, html

# Formulas as short HTML: letters and signs for TeX commands, including superscripts and subscripts.

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
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"(?s)\\([A-Za-z]+)\*?( ?)|\\(.)")
_SCRIPT = re.compile(r"([_^])(?:\{([^{}]*)\}|(\S))")


def formula(tex: str) -> str:
    """Return a formula, with or without dollar signs, as one line of HTML; unknown commands are left out."""
    text = " ".join(tex.strip("$").split())
    for _ in range(3):
        text = _FRACTION.sub(r"(\1)/(\2)", text)
    text = html(_COMMAND.sub(_sign, text).replace("&", " "))
    for _ in range(3):
        text = _SCRIPT.sub(_script, text)
    return f'<span class="t-math">{" ".join(re.sub("[{}]", "", text).split())}</span>'


def _sign(match: re.Match[str]) -> str:
    name, space, other = match.groups()
    if name is None:
        return other if other in "{}%_#$|" else " "
    sign = _SIGNS.get(name, name if name in _NAMES else "")
    return sign + space if sign else ""


def _script(match: re.Match[str]) -> str:
    tag = "sub" if match[1] == "_" else "sup"
    return f"<{tag}>{match[2] if match[2] is not None else match[3]}</{tag}>"


_WIKILINK = re.compile(r"(!?)\[\[(?=[ #^]*[^ #^\[\]|\n])([^\[\]|\n]{0,500})(?:\|([^\[\]\n]{0,500}))?\]\]")
_MATH = re.compile(r"(?s)\$\$([^$]{1,4000})\$\$|\$(?![\s$])((?:\\.|[^$\\]){0,2000}[^\s$\\]|[^\s$\\])\$(?!\d)")
_HIDDEN = {"%%": "%%", "<!--": "-->"}
"""Marks that begin and end a comment."""
_MARK = re.compile(r"==(?=[^\s=])([^\n]{0,2000}?[^\s=])==(?!=)")
_TAG = re.compile(TAG)
_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,80})\]")
_PLAIN = re.compile(r"(?i)<(br|/?(?:kbd|sub|sup|u))\s*/?>")
"""HTML tags without attributes for formats that Markdown lacks."""
_ANCHOR = re.compile(
    r"""<a\s+(?:id|name)\s*=\s*(?:"[^"<>\n]{0,200}"|'[^'<>\n]{0,200}'|[\w.:-]{1,200})\s*(?:/>|>\s*</a>)""", re.I
)
"""An empty HTML anchor, without attributes other than its name."""

_PASTED = re.compile(
    rf"""(?i)!\[(?P<words>[^\[\]\n]{{0,500}})\]\(<?(?P<picture>{PASTED})>?(?:\s+"[^"\n]{{0,500}}")?\s{{0,9}}\)""",
)
_PASTED_HTML = re.compile(
    rf"""(?i)<img\s(?:[^<>]{{0,500}}\s)?src\s?=\s?["']?(?P<picture>{PASTED})["']?(?:\s[^<>]{{0,500}})?/?>"""
)
_WIDTH = re.compile(r"""(?i)\swidth\s?=\s?["']?(\d{1,4})""")
_WORDS = re.compile(r"""(?i)\salt\s?=\s?(["'])(.*?)\1""")


def add(parser: MarkdownIt) -> None:
    """Add the inline rules to a parser."""
    rules = {
        "wikilink": _rule(_WIKILINK, _wikilink),
        "footnote": _rule(_FOOTNOTE, _footnote, lambda state, match: match[1] in state.env.get("footnotes", ())),
        "math": _rule(_MATH, _math),
        "hidden": _hidden,
        "mark": _rule(_MARK, _mark),
        "tag": _rule(_TAG, _tag, lambda state, _: not state.linkLevel),
        "plain": _rule(_PLAIN, _plain),
        "anchor": _rule(_ANCHOR, lambda *_: None),
        "picture": _picture,
    }
    for name, rule in rules.items():
        parser.inline.ruler.before("link", name, rule)


def _rule(
    pattern: re.Pattern[str],
    read: Callable[[StateInline, re.Match[str]], None],
    allows: Callable[[StateInline, re.Match[str]], bool] = lambda *_: True,
) -> Callable[[StateInline, bool], bool]:
    """Return an inline rule for a pattern: if `allows` accepts a match, `read` adds its tokens."""

    def rule(state: StateInline, silent: bool) -> bool:
        match = pattern.match(state.src, state.pos, state.posMax)
        if not match or not allows(state, match):
            return False
        if not silent:
            read(state, match)
        state.pos = match.end()
        return True

    return rule


def _wikilink(state: StateInline, match: re.Match[str]) -> None:
    target = match[2].removesuffix("\\").strip()
    token = state.push("wikilink", "", 0)
    token.meta = {"target": target, "words": (match[3] or "").strip(), "embed": bool(match[1]), "block": False}


def _footnote(state: StateInline, match: re.Match[str]) -> None:
    order = state.env.setdefault("footnote_order", [])
    if match[1] not in order:
        order.append(match[1])
    state.push("footnote_ref", "", 0).meta = {"number": order.index(match[1]) + 1}


def _math(state: StateInline, match: re.Match[str]) -> None:
    token = state.push("math_inline", "", 0)
    token.content, token.meta = match[1] or match[2], {"block": match[1] is not None}


def _hidden(state: StateInline, silent: bool) -> bool:
    opening = next((sign for sign in _HIDDEN if state.src.startswith(sign, state.pos)), "")
    closing = _HIDDEN.get(opening, "")
    end = state.src.find(closing, state.pos + len(opening), state.posMax) if opening else -1
    if end < 0:
        return False
    state.pos = end + len(closing)
    return True


def _mark(state: StateInline, match: re.Match[str]) -> None:
    most = state.posMax
    state.push("mark_open", "mark", 1)
    state.pos, state.posMax = match.start(1), match.end(1)
    state.md.inline.tokenize(state)
    state.push("mark_close", "mark", -1)
    state.posMax = most


def _tag(state: StateInline, match: re.Match[str]) -> None:
    state.push("tag", "", 0).content = match[0]


def _plain(state: StateInline, match: re.Match[str]) -> None:
    name = match[1].lower()
    state.push("hardbreak" if name == "br" else "plain_html", "", 0).content = name


def _picture(state: StateInline, silent: bool) -> bool:
    """Read an embedded `data:` picture in Markdown or HTML, because markdown-it takes a second per megabyte."""
    match = _PASTED.match(state.src, state.pos, state.posMax)
    if not (match := match or _PASTED_HTML.match(state.src, state.pos, state.posMax)):
        return False
    if not silent:
        token = state.push("image", "img", 0)
        token.attrs = {"src": match["picture"]}
        around = match[0].replace(match["picture"], "")
        alt, width = _WORDS.search(around), _WIDTH.search(around)
        words = match["words"] if match.re is _PASTED else f"{alt[2] if alt else ''}|{width[1] if width else ''}"
        token.content = words
        token.children = [Token("text", "", 0, content=words)]
    state.pos = match.end()
    return True
