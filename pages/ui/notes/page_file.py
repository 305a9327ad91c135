"""Export of a note as a single HTML file with its pictures, for printing and sharing."""

import re
from base64 import b64encode
from pathlib import Path

from core.base.html_page import html_page
from core.model import Attachment, Note
from pages.ui.notes import routes
from pages.ui.notes.files import NoteSources
from pages.ui.shared import document as documents
from pages.ui.shared.document import as_written, document
from pages.ui.shared.safe import html, is_deeply_nested
from pages.ui.shared.text import session_language

LAID_OUT = 300_000
"""Maximum number of characters to render, which takes about three seconds; longer notes are exported as raw text."""
PICTURES = 50_000_000
"""Maximum total size of a note's pictures in bytes; further pictures are replaced by their descriptions."""
_STYLE = Path(documents.__file__).with_name("document.css").read_text(encoding="utf-8")
_STYLE += """
:root { color-scheme: light dark; --st-font: system-ui, sans-serif; --st-text-color: light-dark(#1f2328, #e6edf3);
  --st-background-color: light-dark(#fff, #0d1117); --st-link-color: light-dark(#0b6e66, #4fc3b8); }
body { background: var(--st-background-color); max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
.t-near { background: #e0a83040; } .t-dim { opacity: .65; } .t-code { font-family: monospace; white-space: pre-wrap; }
a:not([href]) { color: inherit; }
"""


def page_file(title: str, body: str) -> bytes:
    """Return an HTML page in the style of a note; `title` is plain text, `body` is HTML."""
    body = f'<div class="document"><article>{body}</article></div>'
    return html_page(title, body, _STYLE, session_language()).encode("utf-8", "replace")


def note_page(note: Note) -> bytes:
    """Return a note as an HTML page; links to other notes and to files become plain text."""
    room = PICTURES

    def inside(note_id: str, file: Attachment) -> str | None:
        nonlocal room
        if not routes.is_shown(file) or (size := file.path.stat().st_size) > room:
            return None
        room -= size
        return f"data:{file.type};base64,{b64encode(file.path.read_bytes()).decode()}"

    heading = f"<h1>{html(note.title)}</h1>"
    if note.plain or len(note.body) > LAID_OUT or is_deeply_nested(note.body):
        return page_file(note.title, heading + as_written(note.body))
    drawn = document(note.body, NoteSources(note, address=inside))
    headed = [heading.level for heading in drawn.headings[:1]] == [1]
    # There is no app to open other notes. Links within the page need no script.
    body = re.sub(r'<a class="(?:note|missing)"[^>]*>', "<a>", drawn.html)
    body = re.sub(r'href="#" data-place="([^"]+)"', r'href="#\1"', body)
    return page_file(note.title, body if headed else heading + body)
