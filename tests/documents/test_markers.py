"""Each marked place of a document arrives in its note or is named, in every format that pandoc writes and by hand."""

import io
import json
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from core.documents import CONVERTERS, Converted
from core.documents.converting import converters_for
from tests.documents.making import zipped

PLACE = Path(__file__).parent / "marked"
FORMATS = "docx odt epub pptx rtf html org rst ipynb fb2 docbook jats opml textile mediawiki latex".split()
MARKER = re.compile("zz[a-z0-9]+?zz")
ATTRIBUTES = "an attribute for programs, which no reader shows"
SEARCHED = "words for search engines, which their authors choose to be found by"
REASONS = {
    "epub": dict.fromkeys(("zzheadattrzz", "zzspanattrzz", "zzdivattrzz"), ATTRIBUTES),
    "html": dict.fromkeys(("zzheadattrzz", "zzspanattrzz", "zzdivattrzz"), ATTRIBUTES) | {"zzkeywordzz": SEARCHED},
    "mediawiki": dict.fromkeys(("zzspanattrzz", "zzdivattrzz"), ATTRIBUTES),
    "ipynb": {"zzspanattrzz": ATTRIBUTES},
    "textile": {"zzdivattrzz": ATTRIBUTES},
    "org": {"zzdivattrzz": ATTRIBUTES},
    "odt": {"zzlinktitlezz": "the name of a link, for programs"},
    "pptx": {"zzabstractzz": "a property that no slide shows"},
}
"""What is lost without a word, by format: the marker, and why."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of one text in all formats, written by one process."""
    import pypandoc

    folder = tmp_path_factory.mktemp("marked")
    command = [pypandoc.get_pandoc_path(), "lua", "write.lua", "rich.md", folder, *FORMATS]
    subprocess.run(command, cwd=PLACE, check=True, capture_output=True)
    return folder


def held(data: bytes) -> set[str]:
    """Return the markers that a file holds, those that its markup divides too."""
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            data = b"\n".join(map(archive.read, archive.namelist()))
    text = data.decode("utf-8", "replace")
    return {*MARKER.findall((text + re.sub(r"<[^>]*>|[{}\\]", "", text)).lower())}


def read(data: bytes, kind: str) -> Converted:
    return CONVERTERS.build(converters_for(kind)[0]).convert(data, kind)


def arrived(made: Converted) -> set[str]:
    """Return the markers of a note: its text, its front matter, and what it names as left out."""
    front = " ".join((made.title, made.author, made.tags, made.source_url))
    names = " ".join(omission.place for omission in made.left_out)
    return {*MARKER.findall(re.sub(r"[\\*_~`]", "", f"{made.text} {front} {names}").lower())}


@pytest.mark.parametrize("kind", FORMATS)
def test_each_marker_that_a_written_file_holds_arrives(written: Path, kind: str) -> None:
    data = (written / f"rich.{kind}").read_bytes()
    assert len(held(data)) > 100
    assert held(data) - arrived(read(data, kind)) == {*REASONS.get(kind, ())}


JOURNAL = "what a journal says of itself, of its funds and of the authors' addresses"
BY_HAND: dict[str, dict[str, str]] = {
    "plan.org": {},
    "birds.rst": {},
    "tables.tex": {},
    "article.jats": dict.fromkeys(("zzaffzz", "zzdoizz", "zzfundzz", "zzjournalzz"), JOURNAL)
    | {"zzeqzz": "the number of a formula, which nothing refers to"},
    "manual.docbook": {"zzidxzz": "an entry of the index, which isn't printed here", "zzlegalzz": "the licence"},
    "page.html": {},
}
"""Files of what pandoc doesn't write, and what is lost of them, with the reason."""


@pytest.mark.parametrize("name", BY_HAND)
def test_each_marker_of_a_file_written_by_hand_arrives(name: str) -> None:
    data = (PLACE / name).read_bytes()
    made = read(data, name.rpartition(".")[2])
    assert held(data) - arrived(made) == {*BY_HAND[name]}
    assert "  " not in made.author


CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="b/c.opf" '
    'media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def book(pages: dict[str, str], order: str) -> bytes:
    """Return an e-book of some pages, by their names, with its order of reading."""
    items = "".join(f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in pages)
    named = "<dc:identifier id='i'>i</dc:identifier><dc:title>Waders</dc:title><dc:language>en</dc:language>"
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/">{named}</metadata><manifest>{items}</manifest>'
        f"<spine>{order}</spine></package>"
    )
    spaces = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'
    files = {"META-INF/container.xml": CONTAINER, "b/c.opf": package}
    files |= {
        f"b/{name}.xhtml": f"<html {spaces}><head><title>t</title></head><body>{text}</body></html>"
        for name, text in pages.items()
    }
    return zipped({name: text.encode() for name, text in files.items()})


ORDERED = '<itemref idref="one"/>'
NOTES = {
    "aside": '<aside epub:type="footnote" id="n1"><p>kestrel</p></aside>'
    '<aside epub:type="footnote" id="n2"><p>owl</p></aside>',
    "both": '<aside epub:type="footnote" role="doc-footnote" id="n1"><p>kestrel</p></aside>'
    '<div id="n2"><p>owl</p></div>',
    "list": '<section epub:type="endnotes"><ol><li id="n1"><p>kestrel <a href="#r1">↩</a></p></li>'
    '<li epub:type="endnote" id="n2"><p>owl</p></li></ol></section>',
    "paragraphs": '<p id="n1"><a href="#r1">1.</a> kestrel</p><p class="note" id="n2">2. owl</p>',
}
PLACES = {
    "#n1": ("", ORDERED),
    "one.xhtml#n1": ("", ORDERED),
    "two.xhtml#n1": ("two", f'{ORDERED}<itemref idref="two"/>'),
    "two.xhtml#n1 last": ("two", f'{ORDERED}<itemref idref="two" linear="no"/>'),
    "two.xhtml#n1 unlisted": ("two", ORDERED),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", NOTES)
def test_the_notes_of_a_book_are_footnotes_wherever_they_are(form: str, place: str) -> None:
    other, order = PLACES[place]
    first = place.split()[0]
    text = (
        f'<h1>One</h1><p>Word<sup><a epub:type="noteref" href="{first}">1</a></sup> and word'
        f'<a id="r1" epub:type="noteref" href="{first.replace("n1", "n2")}">2</a>.</p>'
    )
    pages = {"one": text + ("" if other else NOTES[form])} | ({other: NOTES[form]} if other else {})
    made = read(book(pages, order), "epub").text
    assert made == "# One\n\nWord[^1] and word[^2].\n\n[^1]: kestrel\n\n[^2]: owl\n"


def test_what_nothing_in_a_book_refers_to_is_a_part_of_it() -> None:
    one = (
        '<h1>One</h1><p>Word<a epub:type="noteref" href="#n1">1</a>, again<a epub:type="noteref" href="#n1">1</a>, '
        'lost<a epub:type="noteref" href="#n9">9</a>.</p><aside epub:type="footnote" id="n1">'
        '<p>owl, see<a epub:type="noteref" href="#n2">2</a></p></aside>'
        '<aside epub:type="footnote" id="n2"><p>kestrel</p></aside>'
        '<section epub:type="titlepage"><p>press</p></section>'
    )
    two = '<h1>Two</h1><p>Word<a epub:type="noteref" href="#n1">1</a></p><aside epub:type="note" id="n1">tern</aside>'
    order = f'{ORDERED}<itemref idref="two"/><itemref linear="no" idref="answers"/>'
    made = read(book({"one": one, "two": two, "answers": "<p>The answer is osprey.</p>"}, order), "epub").text
    assert made == (
        "# One\n\nWord[^1], again1, lost9.\n\npress\n\n# Two\n\nWord[^2]\n\nThe answer is osprey.\n\nkestrel\n\n"
        "[^1]: owl, see2\n\n[^2]: tern\n"
    )


def test_html_in_a_notebook_is_read_with_the_markdown_in_it() -> None:
    cell = (
        "Before.\n\n<table>\n<tr><th>Bird</th></tr>\n\n<tr><td>\n\nowl **here**\n\n</td></tr>\n</table>\n\n"
        "<div class='alert'>\n\nIn *a box*.\n\n</div>\n\n\\begin{align}\na &= b\n\\end{align}\n\n"
        '- item\n\n  <p>Below it</p>\n\n<script>evil()</script>\n\n<img src="https://example.org/a.png" alt="A tern">'
    )
    shown = [("text/html", "<b>7 owls</b>"), ("text/markdown", ["*8* terns"]), ("text/latex", "$$9 m^2$$")]
    outputs = [
        {"output_type": "display_data", "metadata": {}, "data": {kind: text, "text/plain": ["<IPython.HTML object>"]}}
        for kind, text in shown
    ]
    code = {"cell_type": "code", "metadata": {}, "source": "show()", "execution_count": 1, "outputs": outputs}
    notebook = {"cells": [{"cell_type": "markdown", "metadata": {}, "source": cell}, code]}
    data = json.dumps(notebook | {"metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
    assert read(data, "ipynb").text == (
        "Before.\n\n| Bird         |\n|--------------|\n| owl **here** |\n\nIn *a box*.\n\n"
        "\\begin{align} a &= b \\end{align}\n\n- item\n\n  Below it\n\nA tern\n\n"
        "``` python\nshow()\n```\n\n**7 owls**\n\n*8* terns\n\n9 m²\n"
    )
