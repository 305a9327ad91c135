"""Code in colours, for the languages people write in notes."""

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from pages.ui.shared.safe import html

MOST = 20_000
"""Characters of a block of code that gets colours."""

LANGUAGES = frozenset(
    "python py python3 pycon javascript js jsx typescript ts tsx rust rs go c cpp c++ csharp cs java kotlin swift scala ruby"
    " rb php perl lua r julia haskell bash sh shell zsh console powershell sql json yaml yml toml ini xml html css"
    " diff dockerfile docker make makefile nginx latex tex markdown md".split()
)


def code(text: str, language: str) -> str:
    """Return code as HTML."""
    if language.lower() not in LANGUAGES or len(text) > MOST:
        return html(text)
    lexer = get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    return str(highlight(text, lexer, HtmlFormatter(nowrap=True)))
