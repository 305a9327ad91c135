"""Files in old encodings as notes: what they declare, what is guessed, and the encoding that a person chooses."""

import json
import re
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from core.base.encodings import normalize_encoding
from core.base.encodings.guessing import decode_part
from core.base.errors import EditError, UnknownChoice
from core.documents.office.blocks import Insertions
from core.documents.office.rtf import Rtf
from core.documents.pandoc import Pandoc
from core.documents.webpages import unwrap_archive
from core.doors import cli
from core.intake import webpage
from core.intake.encoding import decode_file
from core.model import Note, Omission, SyncReport, TextEncoding
from core.workspace import Workspace

SHORT = "Zoë\n".encode("cp1252")
KOREAN = "회의 기록\n\n열쇠는 서랍에 있습니다.\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        opened.bases.add("work", embedder="tfidf", write_files=True)
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    return place


def brought(workspace: Workspace, folder: Path) -> SyncReport:
    return workspace.imports.apply(workspace.imports.plan_folder(folder, "work"))


def only(workspace: Workspace) -> Note:
    (card,) = workspace.notes.all()
    return workspace.notes.get(card.id)


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("euc-kr", "cp949"),
        ("ks_c_5601-1987", "cp949"),
        ("ISO-8859-1", "cp1252"),
        ("latin1", "cp1252"),
        ("x-sjis", "cp932"),
        ("Shift_JIS", "cp932"),
        ("EUC-JP", "euc_jp"),
        ("gb2312", "gb18030"),
        ("GBK", "gb18030"),
        ("big5", "big5hkscs"),
        ("windows-1257", "cp1257"),
        ("koi8-r", "koi8-r"),
        ("tis-620", "cp874"),
        ("iso-8859-8-i", "iso8859-8"),
        ("Mac Roman", "mac-roman"),
        ("UTF8", "utf-8"),
        *((name, "") for name in ("", "rot13", "zip", "idna", "unicode_escape", "undefined", "../x", "no-such")),
    ],
)
def test_names_of_encodings_are_those_of_browsers(name: str, encoding: str) -> None:
    assert normalize_encoding(name) == encoding


@pytest.mark.parametrize(
    ("path", "head", "encoding"),
    [
        ("a.html", '<meta charset="{}">', "euc-kr"),
        ("a.htm", "<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset={}'>", "ks_c_5601-1987"),
        ("a.xhtml", '<?xml version="1.0" encoding="{}"?>', "euc-kr"),
        ("a.html", '<!-- <meta charset="utf-8"> --><meta charset={}>', "euc-kr"),
        ("a.txt", "# -*- coding: {} -*-\n", "euc-kr"),
        ("a.md", "<!-- vim: set fileencoding={} : -->\n", "cp949"),
        ("a.tex", "\\usepackage[{}]{{inputenc}}\n", "euc-kr"),
    ],
)
def test_what_a_file_declares_comes_first(path: str, head: str, encoding: str) -> None:
    word = "가"
    found = decode_file(f"{head.format(encoding)}{word}".encode("cp949"), path)
    assert (found.text[-1], found.encoding, found.known) == (word, "cp949", "declared")


@pytest.mark.parametrize("text", ["Grüße aus der Küche: süße Äpfel", "안녕하세요 여러분"])
def test_a_declaration_that_cannot_be_true_does_not_count(text: str) -> None:
    assert decode_file(f'<meta charset="gb2312">{text}'.encode(), "a.html").text.endswith(text)
    assert decode_file(f"# encoding: latin1\n{text[:3]}ü".encode(), "a.md").text.endswith(f"{text[:3]}ü")
    assert decode_file(f'<meta charset="utf-8">{text * 3}'.encode("cp949", "ignore"), "a.html").encoding != "utf-8"


def test_a_part_of_a_saved_page_or_a_mail_is_read_by_its_header() -> None:
    page = "<p>회의</p>"
    mail = EmailMessage()
    mail.set_content(page, subtype="html", charset="ks_c_5601-1987")
    assert unwrap_archive(mail.as_bytes(), "mhtml").strip() == page
    plain = b"MIME-Version: 1.0\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    assert unwrap_archive(plain + f'<meta charset="euc-kr">{page}'.encode("cp949"), "mht").endswith(page)
    assert unwrap_archive(plain + f"<p>{KOREAN}</p>".encode("cp949"), "mht") == f"<p>{KOREAN}</p>"
    assert decode_part("이것".encode("cp949"), "txt", "euc-kr") == "이것"
    assert decode_part(b"", "txt", "no-such") == ""


@pytest.mark.parametrize(
    ("rtf", "text"),
    [
        (
            rb"\ansicpg936{\fonttbl{\f0\fcharset134 SimSun;}{\f1\fcharset204 A;}{\f2\fcharset0 A;}}"
            rb"\f0 \'c4\'e3\'ba\'c3 \f1\'cf\'f0 \f2 caf\'e9 \u8364?.",
            "你好 Пр café €.",
        ),
        (rb"\ansicpg932{\fonttbl{\f0\fcharset128 MS;}}\f0\'93\'fa\'96{\b\'7b}\'8c\'ea", "日**本**語"),
        (
            rb"\ansicpg949\deff0{\fonttbl{\f0\fcharset0 A;}}\f0 " + "회의 기록 ".encode("cp949") + rb"caf\'e9",
            "회의 기록 café",
        ),
        (rb"\ansicpg1251\'cf{\fonttbl{\f0\fcharset2 S;}}\f3\'f0", "Пр"),
        (rb"\uc2 a\u-10764\'c8\'b8 b\uc0\u8364 c \uc1\u55357?\u56832?", "a헴 b€c 😀"),
        (rb"\mac caf\'8e \pca \'82 \'7b\'5c", "café é {\\\\"),
        (b" raw \xed\x9a\x8c\xec\x9d\x98", "raw 회의"),
    ],
)
def test_rich_text_is_read_in_the_code_pages_of_its_fonts(rtf: bytes, text: str) -> None:
    assert Pandoc().convert(b"{\\rtf1\\ansi" + rtf + b"\\par}", "rtf").text.strip() == text


@pytest.mark.parametrize(
    "data", [b"{\\rtf1 \\bin99999999999 x", b"\\u1" * 9, b"{\\rtf1\\ansicpg0\\'9", b"\\f99999999999\\'e9}}}}", b"\\"]
)
def test_damaged_rich_text_is_passed_on(data: bytes) -> None:
    assert isinstance(Rtf(data, Insertions()).blocks, list)


def test_what_the_answer_of_a_server_says_is_kept_with_its_page(tmp_path: Path) -> None:
    data = "<p>가</p>".encode("cp949")
    marked = webpage.in_its_charset(data, ".html", "euc-kr")
    assert decode_file(marked, "a.html").text == "<p>가</p>"
    assert [webpage.in_its_charset(data, *how) for how in ((".html", None), (".html", "x"), (".pdf", "euc-kr"))] == [
        data
    ] * 3


def test_a_doubtful_guess_is_named_and_another_choice_is_kept(workspace: Workspace, folder: Path) -> None:
    (folder / "sure.txt").write_bytes(KOREAN.encode("cp949"))
    (folder / "note.txt").write_bytes(SHORT)
    report = brought(workspace, folder)
    assert [(one.path, one.left_out) for one in report.incomplete] == [
        ("note.txt", (Omission("encoding", place="Windows-1252"),))
    ]
    notes = {card.path: card.id for card in workspace.notes.all()}
    assert workspace.notes.get(notes["sure.txt"]).body == KOREAN
    assert workspace.notes.get(notes["sure.txt"]).encoding == TextEncoding("EUC-KR", "guessed")
    note_id = notes["note.txt"]
    offered = {one.encoding: one.beginning for one in workspace.documents.encodings(note_id)}
    assert next(iter(offered)) == "Windows-1252"
    assert offered["Windows-1251"] == "Zoл"
    read = workspace.documents.read_as(note_id, "windows-1251")
    assert (read.body, read.left_out) == ("Zoл\n", ())
    assert read.encoding == TextEncoding("Windows-1251", "chosen")
    assert workspace.search("Zoл").hits[0].note.id == note_id
    assert brought(workspace, folder).unchanged == 2
    (folder / "note.txt").write_bytes("Да, Zoл\n".encode("cp1251"))
    assert brought(workspace, folder).changed == 1
    assert workspace.notes.get(note_id).body == "Да, Zoл\n"
    (folder / "note.txt").rename(folder / "other.txt")
    assert brought(workspace, folder).renamed == 1
    (folder / "other.txt").write_bytes("Нет\n".encode("cp1251"))
    brought(workspace, folder)
    assert workspace.notes.get(note_id).body == "Нет\n"
    (folder / "other.txt").write_text("Теперь это UTF-8\n", "utf-8")
    brought(workspace, folder)
    assert (workspace.notes.get(note_id).body, workspace.notes.get(note_id).encoding) == ("Теперь это UTF-8\n", None)


def test_the_choice_can_be_taken_back_and_must_be_possible(workspace: Workspace, folder: Path) -> None:
    (folder / "note.txt").write_bytes(SHORT)
    brought(workspace, folder)
    note = only(workspace)
    assert workspace.documents.read_as(note.id, "mac").body == "ZoÎ\n"
    assert workspace.documents.read_as(note.id).body == "Zoë\n"
    for encoding, error in (("no-such", UnknownChoice), ("utf-8", EditError)):
        with pytest.raises(error):
            workspace.documents.read_as(note.id, encoding)
    assert only(workspace).body == "Zoë\n"
    here = workspace.notes.add("work", "Written here", path="here.md")
    with pytest.raises(EditError):
        workspace.documents.read_as(here.id, "mac")


def test_a_saved_edit_keeps_the_encoding_that_was_chosen_or_guessed(workspace: Workspace, folder: Path) -> None:
    (folder / "note.txt").write_bytes(SHORT)
    brought(workspace, folder)
    workspace.documents.read_as(only(workspace).id, "iso-8859-5")
    workspace.notes.update(only(workspace).id, body="Zoы\n")
    assert (folder / "note.txt").read_bytes() == "Zoы\n".encode("iso8859-5")
    assert brought(workspace, folder).unchanged == 1
    (folder / "note.txt").write_bytes(SHORT)
    brought(workspace, folder)
    workspace.documents.read_as(only(workspace).id)
    workspace.notes.update(only(workspace).id, body="Zoë Ü\n")
    assert (folder / "note.txt").read_bytes() == "Zoë Ü\n".encode("cp1252")
    assert only(workspace).encoding == TextEncoding("Windows-1252", "chosen")
    with pytest.raises(EditError, match="Windows-1252"):
        workspace.notes.update(only(workspace).id, body="中文\n")


def test_documents_and_uploads_are_read_again_too(workspace: Workspace, folder: Path) -> None:
    (folder / "page.html").write_bytes("<head><title>Zoë</title></head><p>Noë</p>".encode("cp1252"))
    brought(workspace, folder)
    read = workspace.documents.read_as(only(workspace).id, "cp1251")
    assert (read.title, read.body.strip()) == ("Zoл", "Noл")
    (folder / "page.html").write_bytes("<head><title>Да</title></head><p>Да</p>".encode("cp1251"))
    brought(workspace, folder)
    assert only(workspace).title == "Да"
    workspace.documents.convert(only(workspace).id)
    assert only(workspace).encoding == TextEncoding("Windows-1251", "chosen")
    workspace.imports.apply(workspace.imports.plan_upload([("note.txt", SHORT), ("b.csv", SHORT)], "uploads"))
    for card in workspace.notes.all():
        if card.base == "uploads":
            assert "Zoл" in workspace.documents.read_as(card.id, "cp1251").body
    assert workspace.imports.apply(workspace.imports.plan_upload([("note.txt", SHORT)], "uploads")).unchanged == 1


@pytest.mark.parametrize(("name", "data"), [("note.txt", SHORT), ("a.csv", b"a,b\n" + SHORT)])
def test_an_uploaded_text_that_is_read_again_keeps_the_fields_set_here(
    workspace: Workspace, name: str, data: bytes
) -> None:
    workspace.imports.apply(workspace.imports.plan_upload([(name, data)], "work"))
    (card,) = workspace.notes.all()
    workspace.notes.update(card.id, status="archived", priority=7, title="Mine", tags=["own"], author="person")
    note = workspace.documents.read_as(card.id, "windows-1251")
    assert "л" in note.body
    assert (note.status, note.priority, note.title, note.tags) == ("archived", 7, "Mine", ("own",))


def test_commands_choose_the_encoding(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit):
            cli.main([*arguments, "--workspace", str(tmp_path / "workspace")])
        return capsys.readouterr().out

    (folder / "note.txt").write_bytes(SHORT)
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.bases.add("work", embedder="tfidf")
    said = "note.txt: the encoding of 1 file was guessed: Windows-1252"
    report = run("import", str(folder), "--base", "work")
    assert f"  {said}\n" in report
    assert "incomplete" not in report
    assert "The encoding of 1 file was guessed: note.txt" in (doctor := run("doctor"))
    assert "missing parts" not in doctor
    assert said in run("document", "unread", "work")
    assert re.search(r"(?m)^Windows-1251 +Zoл$", run("document", "encodings", "note.txt"))
    assert "version 2" in run("document", "read-as", "note.txt", "--encoding", "cp1251")
    assert json.loads(run("note", "show", "note.txt", "--json"))["encoding"] == "Windows-1251"
    assert said not in run("document", "unread", "work")
