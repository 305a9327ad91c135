"""A self-contained HTML page without scripts, for printing and sharing."""

from html import escape

from core.base.messages import ENGLISH

_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def html_page(title: str, body: str, style: str, language: str = ENGLISH) -> str:
    """Return an HTML page. `title` is plain text, and `body` is HTML with pictures as `data:` URLs."""
    return _PAGE.format(language=escape(language.replace("_", "-")), title=escape(title), style=style, body=body)
