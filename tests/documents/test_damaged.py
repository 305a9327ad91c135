"""Documents of every kind that are cut off, or have a byte changed, are read or told in words; none takes long.

`DAMAGES=50` tries 50 damages of each document instead of a few.
"""

import json
import os
import re
from pathlib import Path
from random import Random

import pytest

from core.base.errors import SourceError
from core.documents import converting, pandoc_program
from core.documents.kinds import KINDS
from core.intake.notefile import document_text
from tests.documents import making, odf, ooxml, written
from tests.documents.office import parts_of
from tests.documents.pdfs import PdfPage, pdf
from tests.documents.test_converters import TEXT
from tests.documents.test_other_kinds import DRAWING, SRT, VTT, textpack

COUNT = int(os.environ.get("DAMAGES", "6"))
CANVAS = {
    "nodes": [
        {"id": "a", "type": "text", "text": "Pond", "x": 0, "y": 0, "width": 9, "height": 9},
        {"id": "b", "type": "file", "file": "a.md", "x": 0, "y": 30, "width": 9, "height": 9},
        {"id": "c", "type": "group", "label": "All", "x": -5, "y": -5, "width": 99, "height": 99},
    ],
    "edges": [{"id": "d", "fromNode": "a", "toNode": "b", "label": "feeds"}],
}
MAIL = (
    b"From: A <a@example.org>\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nDate: Mon, 1 Jan 2024 10:00:00 +0100\n"
    b"Content-Type: multipart/mixed; boundary=xx\n\n--xx\nContent-Type: text/html; charset=utf-8\n"
    b"Content-Transfer-Encoding: base64\n\nPHA+SGVsbG8gPGI+d29ybGQ8L2I+PC9wPg==\n--xx\n"
    b"Content-Disposition: attachment; filename=a.pdf\n\nx\n--xx--\n"
)
XML = {
    "docbook": b"<article><title>T</title><section><title>S</title><para>Ponds <emphasis>x</emphasis></para></section>"
    b"</article>",
    "jats": b"<article><front><article-meta><title-group><article-title>T</article-title></title-group></article-meta>"
    b"</front><body><sec><title>S</title><p>Ponds</p></sec></body></article>",
    "fb2": b"<FictionBook><description><title-info><book-title>T</book-title></title-info></description><body>"
    b"<section><title><p>S</p></title><p>Ponds</p></section></body></FictionBook>",
    "rss": b"<rss><channel><title>C</title><item><title>One</title><pubDate>Mon, 01 Jan 2024 10:00:00 GMT</pubDate>"
    b"<description>&lt;p&gt;Hi&lt;/p&gt;</description></item></channel></rss>",
    "atom": b"<feed><title>F</title><entry><title>E</title><content type='html'>&lt;p&gt;x&lt;/p&gt;</content></entry>"
    b"</feed>",
    "opml": b"<opml><head><title>O</title></head><body><outline text='a'><outline text='b'/></outline></body></opml>",
}
ALIKE = {"htm": "html", "xhtml": "html", "xht": "html", "mht": "mhtml", "latex": "tex", "wiki": "mediawiki",
         "dbk": "docbook", "nxml": "jats"}  # fmt: skip
# What happened, then what to do, without anything that a library said.
SENTENCES = re.compile(r"This [^\n{}\[\]\\=]+\. [A-Z][^\n{}\[\]\\=]+\.")
# Reasons after which there is nothing to do.
FINAL = {"This file contains no readable text.", "This file is empty."}


def sound(kind: str) -> bytes:
    """Return a document of a kind in which much of what its converter reads occurs."""
    page = PdfPage()
    page.text(72, 100, "Ponds", 20, "bold")
    page.table(72, 300, [["a", "b"], ["c", "d"]])
    others = {
        "pdf": pdf([page, page], title="T"),
        "docx": ooxml.word(),
        "pptx": ooxml.presentation(),
        "xlsx": ooxml.workbook(),
        "odt": written.essay(),
        "ods": odf.spreadsheet(),
        "odp": odf.presentation(),
        "epub": written.book(),
        "rtf": written.LETTER,
        "mhtml": making.mhtml("<title>T</title><h1>Ponds</h1><table><tr><td>1</table>"),
        "csv": b'a,b\n1,"2,3"\n',
        "tsv": b"a\tb\n1\t2\n",
        "textile": b"h1. Ponds\n\n* a\n* b\n\n|a|b|\n",
        "canvas": json.dumps(CANVAS).encode(),
        "base": b"filters:\n  and:\n    - file.hasTag('x')\nviews:\n  - type: table\n    name: Ponds\n",
        "excalidraw": json.dumps(DRAWING).encode(),
        "eml": MAIL,
        "emlx": b"%d\n%s<plist></plist>\n" % (len(MAIL), MAIL),
        "vtt": VTT,
        "srt": SRT.encode(),
        "textpack": textpack("info.json", "text.md", "assets/newt.png"),
        **XML,
    }
    return others[kind] if kind in others else making.of_markdown(TEXT, kind)


def damages(data: bytes, random: Random) -> list[bytes]:
    """Return the bytes cut off at places in turn, and with one byte changed at a place."""
    broken = [data[: max(1, len(data) * number // COUNT)] for number in range(COUNT)]
    for _ in range(COUNT):
        changed = bytearray(data)
        changed[random.randrange(len(data))] ^= random.randrange(1, 256)
        broken.append(bytes(changed))
    return broken


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_damaged_document_is_read_or_refused_in_words(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(converting, "SECONDS", 10)
    data, random = sound(ALIKE.get(kind, kind)), Random(kind)
    assert document_text(data, f"a.{kind}").text
    broken = damages(data, random)
    if data.startswith(b"PK"):
        parts = parts_of(data)
        names = sorted(name for name, part in parts.items() if part)
        for _ in range(COUNT):
            name = random.choice(names)
            broken.append(making.zipped(parts | {name: random.choice(damages(parts[name], random))}))
    refused = []
    for one in broken:
        try:
            document_text(one, f"a.{kind}")
        except SourceError as error:
            refused.append(error)
    for error in refused:
        assert type(error) is SourceError, "the process failed, or the time was up"
        reason = str(error.reason)
        assert reason in FINAL or SENTENCES.fullmatch(reason)


@pytest.mark.parametrize(
    "errors",
    [
        b"pandoc: Cannot decode byte '\\x80': Data.Text.Internal.Encoding: Invalid UTF-8 stream",
        b"[WARNING] /tmp/tessera-document-x/source is not UTF-8 encoded: falling back to latin1.",
        b"Prelude.chr: bad argument: 1114112",
        b"findAttr",
        b"",
    ],
)
def test_what_pandoc_writes_on_a_failure_reaches_nobody(
    errors: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "pandoc"
    program.write_text('#!/bin/sh\ncat "$0.errors" >&2\nexit 64\n')
    program.chmod(0o755)
    program.with_suffix(".errors").write_bytes(errors)
    monkeypatch.setattr(pandoc_program, "_program", lambda: str(program))
    with pytest.raises(SourceError) as refused:
        pandoc_program._run_once(b"x", "-f", "docx", "-t", "json")
    assert str(refused.value.reason).startswith("This file is damaged. Open it")
