"""Small documents that unpack to gigabytes, or take minutes, are told as too large; what only looks so is read."""

import io
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress

import pytest

from core.base.errors import SourceError
from core.documents import books, converting
from core.documents.converting import convert, limits_of
from core.documents.markup import PREPARE, without_files
from core.documents.process import Interrupted
from core.model import Omission
from tests.documents.making import hostile, zipped
from tests.documents.pdfs import file_of
from tests.growth import assert_linear

_PAGE = (
    b"<</Type/Catalog/Pages 2 0 R>>",
    b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</XObject<</F 5 0 R>>>>/Contents 4 0 R>>",
)


def _stream(content: bytes, about: bytes = b"") -> bytes:
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (about, len(content), content)


def _drawn_in_itself() -> bytes:
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</F 5 0 R>>>>"
    return file_of([*_PAGE, _stream(b"/F Do"), _stream(b"/F Do\n" * 40, form)], b"/Root 1 0 R")


def _deflated_twice() -> bytes:
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b"0 0 m\n" * (1 << 18)) for _ in range(140)) + packer.flush()
    content = _stream(zlib.compress(packed, 9), b"/Filter[/FlateDecode/FlateDecode]")
    return file_of([*_PAGE, content, _stream(b"")], b"/Root 1 0 R")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only time is limited")
@pytest.mark.parametrize("make", [_drawn_in_itself, _deflated_twice])
def test_a_small_pdf_takes_no_more_than_a_gigabyte(make: Callable[[], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(converting, "MEGABYTES", 160)
    with pytest.raises(Interrupted, match="takes more memory to convert"):
        convert(make(), "a.pdf")


def test_limits_grow_with_the_document() -> None:
    small, large, scan = (
        limits_of(800, reads_scans=False),
        limits_of(9 << 20, reads_scans=False),
        limits_of(800, reads_scans=True),
    )
    assert (small.processor_seconds, small.megabytes) == (20, 1024)
    assert (large.processor_seconds, large.megabytes) == (120, 2048)
    assert (scan.processor_seconds, scan.megabytes, scan.scan_megabytes) == (20, 1024, 4096)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (b"<title>" * 2_000 + b"words", "words"),
        (b"words " + b"<a " * 20_000, "words"),
        (b"words " + b"<!--" * 20_000, "words"),
        (b"<ul><li>" * 20_000 + b"words", "words"),
        (b"<div><ul><li>" * 40 + b"words" + b"</div>" * 40 + b"<p>after", "after"),
        (b"<p>words" * 300 + b"<ul>" + b"<li>item" * 300, "- item"),
    ],
)
def test_a_page_of_open_elements_is_read_at_once(page: bytes, text: str) -> None:
    converted = convert(page, "a.html")[0].text
    assert text in converted
    assert "deep" not in converted


@pytest.mark.parametrize("name", ["entities.fb2", "entities.jats", "outside-entity.dbk", "deep.fb2"])
def test_entities_and_depth_of_texts_in_xml_are_refused(name: str) -> None:
    with pytest.raises(SourceError):
        convert(hostile()[name], name)


def test_raw_blocks_that_never_end_are_read_at_once() -> None:
    assert "begin{a}" in convert(hostile()["raw.rst"], "raw.rst")[0].text


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("org", b"#+caption:" + b" " * 40_000),
        ("org", b"* " + b"\t" * 40_000),
        ("jats", b"<fn-group><fn" + b' id="a"' * 8_000 + b"</fn-group>"),
        ("epub", b"<p" + b" id='a'" * 8_000),
        ("epub", b"<p" + b" role='a'" * 8_000),
    ],
)
def test_markup_is_made_ready_in_linear_time(kind: str, text: bytes) -> None:
    prepare = {**PREPARE, "epub": lambda page: books.prepare(zipped({"a.xhtml": page}))}[kind]
    assert_linear(prepare, text)


def test_the_lists_of_a_feed_are_read_at_once() -> None:
    feed = b"<rss><channel><item><title>t</title><description><![CDATA[%s]]></description></item></channel></rss>"
    assert "words" in convert(feed % (b"<ul><li>" * 50_000 + b"words"), "a.rss")[0].text


NAMES_FILES = b"""Title
=====

Before.

.. include:: other.rst
   :start-line: 2

.. csv-table:: Rows
   :header: a, b
   :file: /etc/passwd

.. |logo| raw:: html
   :url: https://example.org/logo.html

.. csv-table:: Own
   :header: a, b

   1, 2

.. include::

After.
"""


def test_a_text_that_names_files_is_read_without_them() -> None:
    made = convert(NAMES_FILES, "a.rst")[0]
    assert "Before." in made.text
    assert "After." in made.text
    assert "| 1 | 2 |" in " ".join(made.text.split())
    assert made.left_out == (Omission("file", 3),)
    kept, count = without_files(b".. note::\n   :file: names\n\nText.\n")
    assert (b"Text." in kept, count) == (True, 1)
    assert without_files(b"Text.\n\n:file: a\n") == (b"Text.\n\n:file: a\n", 0)


def test_a_scan_that_takes_more_memory_than_a_small_document_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rapidocr")
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("L", (900, 300), 255)
    ImageDraw.Draw(picture).text((30, 60), "The scanned words of a page", fill=0, font=ImageFont.load_default(48))
    written = io.BytesIO()
    picture.save(written, "PDF", resolution=150)
    monkeypatch.setattr(converting, "MEGABYTES", 300)
    assert "scanned words" in convert(written.getvalue(), "a.pdf")[0].text


_OPENED = ("<a ", "<b ", "<!--", "<td ", "&", "<b>", "<td>", "<table><tr><td>", "[[[[", "((((", "<ul><li>", "word ")
"""What a page may open again and again, and never close."""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only time is limited")
@pytest.mark.parametrize("opened", _OPENED)
def test_a_page_of_what_is_never_closed_is_read_within_its_limits_or_refused(
    opened: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(converting, "MEGABYTES", 300)
    monkeypatch.setattr(converting, "SECONDS", 4)
    page = (opened * 20_000).encode()[:30_000] + b"<p>words"
    with suppress(Interrupted):
        assert "words" in convert(page, "a.html")[0].text


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only time is limited")
def test_what_pandoc_takes_is_part_of_what_its_document_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    page = b"many " * 40_000
    monkeypatch.setattr(converting, "MEGABYTES", 170)
    with pytest.raises(Interrupted, match="takes more memory"):
        convert(page, "a.html")
    monkeypatch.setattr(converting, "MEGABYTES", 600)
    assert "many many" in convert(page, "a.html")[0].text
