"""Notes from Google Keep, which exports each one as a web page: labels, checkboxes, and the note's date."""

import html
import re
from contextlib import suppress
from datetime import datetime

_NOTE = re.compile(r'<body>\s*<div class="note\b')
_LABEL = re.compile(r'<span class="label-name">([^<>]*)</span>')
_TITLE = re.compile(r'<div class="title">([^<>]*)</div>')
_HEADING = re.compile(
    r'<div class="heading">(?:<div class="meta-icons">(?:[^<>]|<span\b[^<>]*></span>)*</div>)?([^<>]*)</div>'
)
_BOX = re.compile(r'<span class="bullet">\s*(&#974[45];|[☐☑])\s*</span>\s*')
_DATES = ("%b %d, %Y, %I:%M:%S %p", "%b %d, %Y, %H:%M:%S", "%d %b %Y, %H:%M:%S")


def read_keep(page: str) -> tuple[str, dict[str, str]]:
    """Return a Keep note as a page with checkboxes, and its labels and date; other pages stay unchanged."""
    if not _NOTE.search(page):
        return page, {}
    about = {"tags": ",".join(map(html.unescape, _LABEL.findall(page)))}
    if heading := _HEADING.search(page):
        words = " ".join(html.unescape(heading[1]).split())
        for form in _DATES:
            with suppress(ValueError):
                about["created"] = datetime.strptime(words, form).isoformat()  # noqa: DTZ007 the export names no zone
        if "created" in about:
            page = page.replace(heading[0], "", 1)
    page = _BOX.sub(lambda box: "☐ " if box[1] in ("&#9744;", "☐") else "☒ ", _LABEL.sub("", page))
    return _TITLE.sub(r"<h1>\1</h1>", page), about
