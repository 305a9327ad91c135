"""E-mails, feeds, drawings, tables, web pages and pictures of pages: imported, with what is told of the rest."""

import io
import json
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from core.base.errors import SourceError
from core.documents import CONVERTERS, Converted, Converter
from core.documents.contract import ConverterContract
from core.documents.webpages import main_part
from core.model import Omission
from core.workspace import Workspace
from tests.documents.pdfs import PdfPage, pdf

DRAWING = {
    "elements": [
        {"type": "text", "text": "second", "x": 0, "y": 300},
        {"type": "text", "text": "wrap\nped", "originalText": "wrapped", "x": 0, "y": 0, "link": "https://example.org"},
        {"type": "text", "text": "gone", "isDeleted": True},
        {"type": "image", "fileId": "1"},
        {"type": "frame", "name": "Garden", "x": 0, "y": 600},
    ]
}


class TestMail(ConverterContract):
    @pytest.fixture
    def converter(self) -> Converter:
        return CONVERTERS.build("mail")

    @pytest.fixture
    def document(self) -> tuple[bytes, str]:
        return b"From: a@example.org\n\nText.\n", "eml"


class TestFeed(ConverterContract):
    @pytest.fixture
    def converter(self) -> Converter:
        return CONVERTERS.build("feed")

    @pytest.fixture
    def document(self) -> tuple[bytes, str]:
        return b"<rss><channel><item><title>One</title></item></channel></rss>", "rss"


VTT = (
    b"\xef\xbb\xbfWEBVTT - lesson\r\n\r\nNOTE by hand\r\n\r\nSTYLE\r\n::cue { color: red }\r\n\r\nintro\r\n"
    b"00:01.000 --> 00:04.000 align:start\r\n<v.loud Ann Lee>Hello &amp; <i>welcome</i>\r\nto the lesson.\r\n\r\n"
    b"00:04.000 --> 00:05.000\r\nto the lesson.\r\n<00:04.500><c>Today: frogs.</c>\r\n\r\n"
    b"01:02:05.000 --> 01:02:06.000\r\n<v Bo>No.\r\n"
)
SRT = "1\n00:00:59,000 --> 00:01:04,000\n{\\an8}Grüße\n\n2\n00:01:05,000 --> 00:01:06,000\n- Ja.\n- Ja!\n"


@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        (VTT, "vtt", "**00:01** Ann Lee: Hello & welcome to the lesson. Today: frogs.\n\n**01:02:05** Bo: No.\n"),
        (SRT.encode(), "srt", "**00:00:59** Grüße\n\n**00:01:05** - Ja. - Ja!\n"),
    ],
)
def test_subtitles_are_a_paragraph_for_each_minute(data: bytes, kind: str, text: str) -> None:
    assert CONVERTERS.build("subtitles").convert(data, kind).text == text


@pytest.mark.parametrize("end", [b"x" * 2_000_000, b"a\n" * 1_000_000, b"<" * 2_000_000, b"<v " * 700_000])
def test_large_subtitles_take_linear_time(end: bytes) -> None:
    assert CONVERTERS.build("subtitles").convert(b"WEBVTT\n\n00:01.000 --> 00:02.000\n" + end, "vtt").text


class TestSubtitles(ConverterContract):
    @pytest.fixture
    def converter(self) -> Converter:
        return CONVERTERS.build("subtitles")

    @pytest.fixture(params=[(VTT, "vtt"), (SRT.encode(), "srt")])
    def document(self, request: pytest.FixtureRequest) -> tuple[bytes, str]:
        return request.param


def textpack(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "---\ntags: [pond]\n---\nNewts ![](assets/newt.png)\n")
    return stream.getvalue()


class TestTextPack(ConverterContract):
    @pytest.fixture
    def converter(self) -> Converter:
        return CONVERTERS.build("textpack")

    @pytest.fixture(params=["text.md", "Pond.textbundle/text.markdown"])
    def document(self, request: pytest.FixtureRequest) -> tuple[bytes, str]:
        return textpack("info.json", request.param, "assets/newt.png"), "textpack"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "cp1252"])
def test_the_text_of_a_bundle_is_read_in_its_encoding(encoding: str) -> None:
    text = "Grüße aus Köln, für alle.\n" if encoding == "cp1252" else "今天讲解如何备份数据库，以及如何恢复。\n"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("text.md", text.encode(encoding))
    assert CONVERTERS.build("textpack").convert(stream.getvalue(), "textpack").text == text


def test_bundles_and_subtitles_are_notes_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "My pond.textbundle" / "assets").mkdir(parents=True)
    (folder / "My pond.textbundle" / "text.md").write_text("Frogs ![](assets/frog.png)\n")
    (folder / "My pond.textbundle" / "assets" / "frog.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "Newts.textpack").write_bytes(textpack("info.json", "text.md", "assets/newt.png"))
    (folder / "none.textpack").write_bytes(textpack("other.md"))
    (folder / "lesson.vtt").write_bytes(VTT)
    (folder / "film.srt").write_bytes(SRT.encode("latin-1"))
    (folder / "none.vtt").write_text("WEBVTT\n")
    with Workspace(tmp_path / "workspace") as workspace:
        report = workspace.imports.apply(workspace.imports.plan_folder(folder, "b"), embed=False)
        assert sorted(failed.path for failed in report.failed) == ["none.textpack", "none.vtt"]
        notes = {note.title: workspace.notes.get(note.id) for note in workspace.notes.all()}
        assert notes.keys() == {"My pond", "Newts", "lesson", "film"}
        assert workspace.attachments.missing(notes["My pond"]) == ()
        assert notes["Newts"].tags == ("pond",)
        assert [omission.kind for omission in notes["Newts"].left_out] == ["attachment"]
        assert "Grüße" in notes["film"].body


class TestExcalidraw(ConverterContract):
    @pytest.fixture
    def converter(self) -> Converter:
        return CONVERTERS.build("excalidraw")

    @pytest.fixture
    def document(self) -> tuple[bytes, str]:
        return json.dumps(DRAWING).encode(), "excalidraw"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        opened.bases.add("files", embedder="tfidf", keep_tokens=False)
        yield opened


def mail() -> bytes:
    made = EmailMessage()
    made["Subject"], made["From"] = "Rent für Mai — 租金", "Ada Löw <ada@example.org>"
    made["To"], made["Date"] = "Bo <bo@example.org>", "Fri, 20 Nov 2026 23:30:00 +0100"
    made.set_content("Dear Bo,\n\nit is due on Monday.\n")
    made.add_alternative("<p>Dear Bo,</p><p>it is due on <b>Monday</b>.</p>", subtype="html")
    made.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="lease.pdf")
    inner = EmailMessage()
    inner["Subject"] = "Inner"
    inner.set_content("Forwarded granite.\n")
    made.add_attachment(inner)
    return bytes(made)


def read(kind: str, data: bytes) -> Converted:
    name = {"eml": "mail", "emlx": "mail", "csv": "workbook", "excalidraw": "excalidraw"}.get(kind, "feed")
    return CONVERTERS.build(name).convert(data, kind)


def test_an_email_is_who_wrote_it_its_text_and_what_is_attached() -> None:
    head = "- From: Ada Löw <ada@example.org>\n- To: Bo <bo@example.org>\n- Date: Fri, 20 Nov 2026 23:30:00 +0100"
    text = f"{head}\n\nDear Bo,\n\nit is due on Monday.\n\n## Inner\n\nForwarded granite.\n\n- Attachment: lease.pdf\n"
    left_out = (Omission("attachment", 1, "lease.pdf"),)
    whole = Converted(text, "Rent für Mai — 租金", "Ada Löw", "2026-11-20T23:30:00+01:00", left_out=left_out)
    assert read("eml", mail()) == whole
    apple = b"%d\n%b<?xml version='1.0'?><plist/>" % (len(mail()), mail())
    assert read("emlx", apple) == whole


def test_an_email_of_html_in_any_charset_is_read() -> None:
    head = "Subject: =?euc-kr?B?x9Gxub7u?=\nFrom: a@b\nContent-Type: text/html; charset={}\n\n"
    for charset in ("ks_c_5601-1987", "utf-8", "no-such-charset"):
        codec = "euc-kr" if charset.startswith("ks") else "utf-8"
        made = read("eml", head.format(charset).encode() + "<p>창고 <b>열쇠</b></p>".encode(codec))
        assert (made.title, made.text) == ("한국어", "- From: a@b\n\n창고 **열쇠**\n")
    signed = read("eml", b"From: a@b\nContent-Type: text/html\n\n<p>Text.</p><footer>Ada, Berlin</footer>")
    assert signed.text == "- From: a@b\n\nText.\n\nAda, Berlin\n"
    latin = read("eml", b"Subject: caf\xe9\nFrom: a@b\n\nna\xefve\n")
    assert (latin.title, latin.text) == ("café", "- From: a@b\n\nnaïve\n")
    korean = "Subject: 회의\nFrom: a@b\n\n내일 회의 장소는 본관 삼층 회의실로 변경되었습니다.\n".encode("cp949")
    assert "내일 회의 장소는 본관" in read("eml", korean).text


def test_parts_of_an_email_that_cant_be_read_are_named() -> None:
    locked = b"From: a@b\nContent-Type: application/pkcs7-mime; name=smime.p7m\n\nMII=\n"
    assert read("eml", locked).left_out == (Omission("encrypted", 1),)
    poor = b"From: a@b\nContent-Type: multipart/alternative; boundary=x\n\n--x\n\nSee HTML.\n--x\n"
    poor += b"Content-Type: text/html\n\n"
    assert (
        "whole story of the mail"
        in read("eml", poor + b"<p>The whole story of the mail is told only here.</p>\n--x--\n").text
    )
    deep = b"From: a@b\n" + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (level, level) for level in range(60)
    )
    assert read("eml", deep).left_out
    with pytest.raises(SourceError):
        read("eml", b"no mail at all")


WALK = (
    "Dear members, the bittern walk starts at 05:40 from the weir on Saturday. Bring rubber boots and a lamp. Ines"
    " leads the group; the walk takes two hours and ends with coffee at the mill."
)
TRACKED = "https://news.example.org/v/?e=b7c1-2f9a-44d0&c=9f-1a-22-b0&u=a1/b2/c3/d4-e5-f6-g7-h8&utm_source=mail"
IMPRINT = "You get this mail since you are a member of the Marsh Club, Weir Road 4, Oslo. To stop it click " + TRACKED
ALTERNATIVES = [
    ("Please view this message in a program that shows HTML.", f"<p>{WALK}</p>", WALK),
    (f"View this email in your browser: {TRACKED}", f"<p>{WALK}</p>", WALK),
    (f"This email needs HTML.\n\n{IMPRINT}", f"<p>{WALK}</p>", WALK),
    ("Your program cannot show this message. See it online.", "<p>Your code is 481 906.</p>", "Your code is 481 906."),
    (WALK, f"<p>{WALK.replace('walk', '<b>walk</b>')}</p><footer>Oslo</footer>", WALK),
    (WALK, "<p>Turn on plain text.</p>", WALK),
]


@pytest.mark.parametrize(("plain", "page", "text"), ALTERNATIVES)
def test_the_alternative_of_an_email_that_says_most_is_read(plain: str, page: str, text: str) -> None:
    made = EmailMessage()
    made["From"] = "a@b"
    made.set_content(plain)
    made.add_alternative(page, subtype="html")
    assert read("eml", bytes(made)).text == f"- From: a@b\n\n{text}\n"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Bye\n-- \nAda", "Bye\n\n-- \nAda"),
        ("Total\n=====\n12", "Total\n\n=====\n12"),
        ("> said\n> ----", "> said\n>\n> ----"),
        (
            "# of birds\n#tag <b>x</b> <https://e.org> <a@e.org>",
            "\\# of birds\n#tag \\<b>x\\</b> <https://e.org> <a@e.org>",
        ),
        ("- one\n- two\n\n---", "- one\n- two\n\n---"),
    ],
)
def test_the_plain_text_of_an_email_is_no_heading_and_no_html(text: str, made: str) -> None:
    assert read("eml", f"From: a@b\n\n{text}\n".encode()).text == f"- From: a@b\n\n{made}\n"


def test_the_lines_of_a_flowed_email_are_joined() -> None:
    flowed = "From: a@b\nContent-Type: text/plain; format=flowed{}\n\n{}\n-- \nAda\n"
    text = "The bri\n dge \nis open.\n> quoted  \n> text\n>> inner \nAll"
    assert read("eml", flowed.format("", text).encode()).text == (
        "- From: a@b\n\nThe bri\ndge is open.\n> quoted  text\n>> inner \nAll\n\n-- \nAda\n"
    )
    text = text.replace("bri\n ", "bri \n")
    assert read("eml", flowed.format("; delsp=yes", text).encode()).text == (
        "- From: a@b\n\nThe bridgeis open.\n> quoted text\n>> inner\nAll\n\n-- \nAda\n"
    )


def test_a_feed_is_its_entries() -> None:
    rss = (
        '<?xml version="1.0" encoding="gb2312"?><rss xmlns:c="http://purl.org/rss/1.0/modules/content/"><channel>'
        "<title>Stones</title><description>About 石头</description><item><title>Granite &amp; co</title>"
        "<link>https://example.org/1</link><pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate><category>rock</category>"
        "<description>&lt;p&gt;Short granite…&lt;/p&gt;</description>"
        "<c:encoded><![CDATA[<p>Short granite and <b>long</b> basalt</p><script>x()</script>]]></c:encoded></item>"
        "<item><title>Two</title><link>javascript:x</link><description>Plain slate</description></item></channel></rss>"
    )
    made = read("rss", rss.encode())
    assert made.title == "Stones"
    assert made.text == (
        "About 石头\n\n## [Granite & co](https://example.org/1)\n\nFri, 20 Nov 2026 10:00:00 GMT · rock\n\n"
        "Short granite and **long** basalt\n\n## Two\n\nPlain slate\n"
    )
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>Atoms</title><author><name>Ada</name></author><entry>'
        '<title type="html">A &lt;i&gt;b&lt;/i&gt;</title><link rel="edit" href="https://example.org/no"/>'
        '<link href="https://example.org/a"/><summary type="text">1 &lt; 2</summary><content type="xhtml">'
        '<div xmlns="http://www.w3.org/1999/xhtml"><p>Marble</p></div></content></entry></feed>'
    )
    made = read("atom", atom.encode())
    assert (made.title, made.author) == ("Atoms", "Ada")
    assert made.text == "## [A b](https://example.org/a)\n\nMarble\n\n1 \\< 2\n"


def test_an_outline_is_a_list() -> None:
    opml = (
        '<opml><head><title>Subs</title></head><body><outline text="News"><outline text="E" xmlUrl="https://e.org/x"/>'
        '<outline title="Note" _note="one&#10;two"/></outline></body></opml>'
    )
    assert read("opml", opml.encode()).text == "- News\n  - [E](https://e.org/x)\n  - Note\n    one\n    two\n"


@pytest.mark.parametrize("data", [b"<rss", b'<!DOCTYPE r [<!ENTITY a "b">]><rss>&a;</rss>', b"<html><item/></html>"])
def test_what_is_no_feed_is_refused_with_a_sentence(data: bytes) -> None:
    with pytest.raises(SourceError):
        read("rss", data)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("sep=;\nName;Ort\nAda;Rom, IT\n", ["Name|Ort", "Ada|Rom, IT"]),
        ('"sep=|"\r\nName|Ort\r\nAda|Rom; IT\r\n', ["Name|Ort", "Ada|Rom; IT"]),
        ("\ufeffSEP=\t\nName\tOrt\nAda\tRom\n", ["Name|Ort", "Ada|Rom"]),
        ("Name|Ort\nAda|Rom, IT\n", ["Name|Ort", "Ada|Rom, IT"]),
        ("1,5;2,5;3,5\n2,5;1,0;9,1\n", ["1,5|2,5|3,5", "2,5|1,0|9,1"]),
        ('Name, first;Age\n"Löw,\nAda";3\n', ["Name, first|Age", "Löw, Ada|3"]),
        ('name,tags\n"x","a;b"\n"y","c;d;e"\n', ["name|tags", "x|a;b", "y|c;d;e"]),
        ("1,2,3\n4,5,6\n", ["1|2|3", "4|5|6"]),
    ],
)
def test_values_are_parted_by_what_the_file_says_or_by_what_fits(text: str, rows: list[str]) -> None:
    first, *rest = ["| " + row.replace("|", " | ") + " |" for row in rows]
    rule = "|" + "---|" * first.count(" | ") + "---|"
    assert read("csv", text.encode()).text.splitlines() == [first, rule, *rest]


def test_columns_beyond_what_a_table_may_have_are_named() -> None:
    made = read("csv", ",".join(map(str, range(510))).encode())
    assert made.left_out == (Omission("column", 10),)


LANGUAGES = "".join(
    f'<li><a href="https://x{n}.example.org" hreflang="x{n}"><span>Lang{n}</span></a></li>' for n in range(154)
)
WIKI = (
    "<title>Amber</title><nav>Top</nav><form><main><header><h1>Amber</h1><div class='{}'><input type=checkbox>"
    f"<label>154 languages</label><div><ul>{LANGUAGES}</ul></div></div></header><div class=noprint>From Wiki</div>"
    "<p>Amber is resin.</p><h2>Use<span class='mw-editsection'>[edit]</span></h2><ul>"
    "<li><input type=checkbox checked> done<li><input type=checkbox>open</ul>"
    "<aside>Beside.</aside><p>See <a hreflang=de href=x>Bernstein</a>.</p></main></form>"
    "<footer>Foot</footer>"
)


def test_the_main_part_of_a_page_begins_with_its_text() -> None:
    pandoc = CONVERTERS.build("pandoc")
    rest = "Amber is resin.\n\n## Use\n\n- [x] done\n- [ ] open\n\nBeside.\n\nSee [Bernstein](x).\n"
    for kind, label in (("vector-dropdown mw-portlet", ""), ("languages", "154 languages\n\n")):
        made = pandoc.convert(WIKI.format(kind).encode(), "html")
        assert (made.title, made.text) == ("Amber", f"# Amber\n\n{label}{rest}")
        assert [one.kind for one in made.left_out] == ["menu"]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<main><div><nav><ul><li>menu</div><p>After.</main>", "After."),
        ("<main id=app></main><div>Filled by a script.</div>", "Filled by a script."),
        ("<article>Teaser</article>" + "<p>The text of the page.</p>" * 9, "The text of the page."),
        ("<form action=x><p>All of it is a form.</p><select><option>no</select></form>", "All of it is a form."),
        ("<p>unclosed <b>bold <i>both</p><p>more", "more"),
    ],
)
def test_no_text_of_a_page_is_lost_by_its_tags(page: str, text: str) -> None:
    assert text in main_part(page)[0]


KEEP = (
    "<html><head><title>Packing</title></head>\n<body><div class='note DEFAULT'><div class='heading'>"
    "<div class='meta-icons'>\n<span class='pinned' title='Note pinned'></span>\n</div>\n{}</div>\n"
    "<div class='title'>Packing</div>\n"
    "<div class='content'><ul class='list'><li class='listitem'><span class='bullet'>&#9744;</span>\n"
    "<span class='text'>tent</span>\n\n</li><li class='listitem checked'><span class='bullet'>&#9745;</span>\n"
    "<span class='text'>lamp</span></li></ul></div>\n<div class='chips'><span class='chip label'>"
    "<span class='label-name'>Travel</span>\n</span><span class='chip label'><span class='label-name'>R &amp; D</span>"
    "</span></div></div></body></html>"
).replace("'", '"')


@pytest.mark.parametrize(
    ("date", "created", "above"),
    [
        ("Mar 4, 2024, 8:01:02&#8239;PM", "2024-03-04T20:01:02", ""),
        ("Mar 4, 2024, 20:01:02", "2024-03-04T20:01:02", ""),
        ("4 mars 2024", "", "4 mars 2024\n\n"),
    ],
)
def test_a_note_of_keep_has_its_labels_its_boxes_and_its_date(date: str, created: str, above: str) -> None:
    made = CONVERTERS.build("pandoc").convert(KEEP.format(date).encode(), "html")
    assert (made.title, made.tags, made.created) == ("Packing", "Travel,R & D", created)
    assert made.text == f"{above}# Packing\n\n- [ ] tent\n- [x] lamp\n"


SAID = '<meta property="article:published_time" content="2024-02-03T08:00:00Z"><link rel="canonical" href="{}">'
SAVED = "<!-- saved from url=(0025)https://example.org/cakes -->"
SINGLE = "<!--\n Page saved with SingleFile \n url: https://example.org/pies \n saved date: x\n-->"


@pytest.mark.parametrize(
    ("page", "address", "date"),
    [
        (f"<head>{SAID.format('https://example.org/bread')}</head>", "https://example.org/bread", "2024-02-03"),
        (f"<!DOCTYPE html>\n{SAVED}\n<html>", "https://example.org/cakes", ""),
        (f"<html>{SINGLE}<head>{SAID.format('/other')}</head>", "https://example.org/pies", "2024-02-03"),
        ('<head><meta name="date" content="2024-05-06"><link rel="canonical" href="javascript:x">', "", "2024-05-06"),
        ("<p>Text.</p>", "", ""),
    ],
)
def test_a_saved_page_has_its_address_and_its_date(page: str, address: str, date: str) -> None:
    made = CONVERTERS.build("pandoc").convert(f"{page}<body><p>Bread.</p>".encode(), "html")
    assert (made.source_url, made.created[:10]) == (address, date)


def test_the_tags_and_the_address_of_a_document_are_those_of_its_note(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    (folder / "bread.html").write_text(SAID.format("https://example.org/bread") + "<p>Bread.</p>", "utf-8")
    (folder / "tagged.org").write_text("#+title: Tagged\n#+filetags: :work:urgent:\nText.\n", "utf-8")
    workspace.imports.apply(workspace.imports.plan_folder(folder, "files"))
    page, org = (workspace.notes.get(card.id) for card in sorted(workspace.notes.all(), key=lambda card: card.path))
    assert (page.source_url, str(page.created_at)[:10]) == ("https://example.org/bread", "2024-02-03")
    assert sorted(org.tags) == ["urgent", "work"]


@pytest.mark.parametrize(
    "title",
    ["10811.exe", "Untitled", "Untitled Document 2", "untitled-1", "Microsoft Word - letter.doc", "Slide 1", "a.indd"],
)
def test_a_pdf_whose_title_a_program_gave_is_called_by_its_heading_or_its_file(
    title: str, workspace: Workspace, tmp_path: Path
) -> None:
    folder = tmp_path / "pdfs"
    folder.mkdir()
    for name, heading in (("headed", "Waders of the Marsh"), ("plain", "")):
        page = PdfPage()
        page.text(72, 100, heading or "Some words.", 20 if heading else 11, "bold" if heading else "")
        page.text(72, 140, "The bittern calls at dusk.")
        (folder / f"{name}.pdf").write_bytes(pdf([page], title=title))
    workspace.imports.apply(workspace.imports.plan_folder(folder, "files"))
    assert {card.title for card in workspace.notes.all()} == {"Waders of the Marsh", "plain"}


def test_a_drawing_is_its_texts_and_called_as_its_file(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Plan.excalidraw").write_text(json.dumps(DRAWING), "utf-8")
    front = "---\nexcalidraw-plugin: parsed\n---\n"
    body = "==Switch to EXCALIDRAW VIEW==\n\n# Excalidraw Data\n\n## Text Elements\nJasper ^a\n"
    (folder / "Sketch.excalidraw.md").write_text(front + body, "utf-8")
    (folder / "Older.md").write_text(front + body, "utf-8")
    (folder / "Named.excalidraw.md").write_text(f"---\ntitle: My drawing\n---\n{body}", "utf-8")
    workspace.imports.apply(workspace.imports.plan_folder(folder, "files"))
    cards = {str(one.path): one for one in workspace.notes.all()}
    assert {path: card.title for path, card in cards.items()} == {
        "Plan.excalidraw": "Plan",
        "Sketch.excalidraw.md": "Sketch",
        "Older.md": "Older",
        "Named.excalidraw.md": "My drawing",
    }
    plan = workspace.notes.get(cards["Plan.excalidraw"].id)
    assert plan.body == "wrapped <https://example.org>\n\nsecond\n\nGarden\n"
    assert read("excalidraw", json.dumps(DRAWING).encode()).left_out == (Omission("picture", 1),)


OTHERS = ("song.mp3", "tune.MP3", "all.zip", "setup.exe", "data.json", "old.xls", "mail.msg", "x.weird", "noext")


def test_each_kind_that_isnt_read_says_what_would_help(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    for name in (*OTHERS, "feed.xml", "config.toml", "note.md"):
        (folder / name).write_bytes(b"x")
    report = workspace.imports.apply(workspace.imports.plan_folder(folder, "files"))
    told = {one.path: str(one.error) for one in report.skipped}
    assert told.keys() == {*OTHERS, "feed.xml", "config.toml"}
    for name, part in {
        "song.mp3": "transcript",
        "all.zip": "Import it separately",
        "setup.exe": "part of a program",
        "data.json": "tessera learn FILE",
        "feed.xml": "change its extension so that Tessera can read it",
        "config.toml": "Export the parts you want to find",
        "old.xls": "Save it as .xlsx",
        "mail.msg": "Save it as .eml",
        "noext": "Add one",
        "x.weird": "If it contains text",
    }.items():
        assert part in told[name]
    assert not any("Convert it" in one for one in told.values())


def test_a_folder_of_unread_kinds_says_what_is_there_and_what_is_read(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    for name in OTHERS:
        (folder / name).write_bytes(b"x")
    with pytest.raises(SourceError) as error:
        workspace.imports.plan_folder(folder, "files")
    said = str(error.value)
    assert "2 .mp3" in said
    assert "1 without a file extension" in said
    assert all(word in said for word in ("PDF", "Word", "Excel", "e-mail"))
    assert ".markdown" not in said
    with pytest.raises(SourceError, match=r"1 \.mp3, 1 \.rar"):
        workspace.imports.plan_upload([("a.mp3", b"x"), ("b.rar", b"x")], "files")


PAGE = b"\x89PNG\r\n\x1a\n" + b"\0" * 20_000


@pytest.fixture
def read_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are read as if what reads them were there."""
    monkeypatch.setattr("core.intake.notefile.convert", lambda *_, **__: (Converted("Minutes of May.\n"), "test"))


@pytest.mark.usefixtures("read_pictures")
def test_pictures_of_pages_are_notes_where_no_note_shows_them(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "scans"
    (folder / "2026").mkdir(parents=True)
    (folder / "2026/page 1.png").write_bytes(PAGE)
    (folder / "2026/page 2.JPG").write_bytes(b"\xff\xd8\xff" + b"\0" * 20_000)
    (folder / "icon.png").write_bytes(PAGE[:500])
    (folder / "letter.pdf").write_bytes(pdf([PdfPage()]))
    report = workspace.imports.apply(workspace.imports.plan_folder(folder, "files"))
    assert {one.path for one in workspace.notes.all()} == {"2026/page 1.png", "2026/page 2.JPG", "letter.pdf"}
    assert [one.path for one in report.skipped] == ["icon.png"]
    (folder / "2026/page 3.png").write_bytes(PAGE)
    base = workspace.bases.get("files")
    assert len(workspace.imports.plan_changes(folder, base, ["2026/page 3.png"]).added) == 1
    (folder / "index.md").write_text(
        "# Index\n", "utf-8"
    )  # which may show the new page, and leaves those that are notes
    report = workspace.imports.apply(workspace.imports.plan_folder(folder, "files"))
    assert (report.added, report.removed, report.unchanged) == (1, 0, 3)
    assert [one.path for one in report.skipped] == ["2026/page 3.png", "icon.png"]
    assert "turn on 'Read text in pictures'" in str(report.skipped[0].error)


def test_a_vault_whose_notes_are_gone_isnt_one_of_pictures(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "note.md").write_text("# Note\n", "utf-8")
    (folder / "board.png").write_bytes(PAGE)
    workspace.imports.apply(workspace.imports.plan_folder(folder, "files"))
    (folder / "note.md").unlink()
    with pytest.raises(SourceError, match=r"1 \.png"):
        workspace.imports.plan_folder(folder, "files")
