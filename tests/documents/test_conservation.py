"""The measurement of conservation finds words that a note lacks, and only those."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.conservation.__main__ import SILENT, compared, main, measured
from benchmarks.conservation.parts import Part, parts
from core.documents import Converted
from core.intake import notefile
from core.model import Omission
from tests.documents.making import of_markdown, zipped
from tests.documents.pdfs import PdfPage, pdf

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def gone(source: str, note: str) -> tuple[str, ...]:
    return compared("a.txt", [Part(source)], note, ()).gone


@pytest.mark.parametrize(
    ("source", "note"),
    [
        ("infor-\nmation, well-\nknown, zero\u00ad\r\nwidth, pdf\x02\nium", "information well-known zerowidth pdfium"),
        ("of\ufb01ce \u2f00 CAF\u0045\u0301 so\u00adft \u2764\ufe0f", "office 一 café soft ❤"),
        ("large language models", "Largelanguagemodels"),
        ("INVOICE of officers", "I N V O I C E of of f icers"),
        ("中文 and 日本語", "中\n文and日本 語"),
        ("a_b <c>", r"a\_b &lt;c>"),
    ],
)
def test_words_are_found_however_they_are_written(source: str, note: str) -> None:
    assert gone(source, note) == ()


@pytest.mark.parametrize(
    ("source", "note", "lost"),
    [
        ("one two two", "two one", ("two",)),
        ("zinc and tin", "zinc, and", ("tin",)),
        ("担当は山田さん", "担当はさん", ("山", "田")),
        ("naïve", "na�ve", ("naïve",)),
        ("words", "", ("words",)),
        ("a report", "active", ("a", "report")),
    ],
)
def test_words_that_are_gone_are_named(source: str, note: str, lost: Sequence[str]) -> None:
    assert gone(source, note) == tuple(lost)


def test_an_omission_names_the_words_of_its_parts_only() -> None:
    page, comment = frozenset({"page"}), frozenset({"comment"})
    source = [Part("one", page, "1"), Part("two", page, "2"), Part("three", page, "7"), Part("four", comment)]
    result = compared("a.pdf", source, "", (Omission("page", 3, "2, 5-7"),))
    assert (result.words, result.named, result.gone) == (4, 2, ("one", "four"))
    assert compared("a.pdf", source, "", (Omission("page", 4), Omission("comment"))).share == 1.0


def test_a_running_head_that_the_note_quotes_is_named_however_a_scan_spells_it() -> None:
    pages = [
        Part(f"{at} THE SIEGE OP VICKSBURG.\nBody {at} of the siege\n", frozenset({"page"}), str(at)) for at in (3, 4)
    ]
    note = "Body 3 of the siege Body 4 of the siege"
    omission = Omission("header", 1, "THE SIEGE OF VICKSBURG. 49; Ohio")
    assert compared("a.pdf", pages, note, (omission,)).gone == ()
    assert compared("a.pdf", pages, note, (omission,)).named == 10
    assert len(compared("a.pdf", pages, note, (Omission("header", 1, "Another head"),)).gone) == 10
    other = [Part("THE FALL OF RICHMOND.\n", frozenset({"page"}), "1")]
    assert len(compared("a.pdf", other, "", (omission,)).gone) == 4


def test_the_points_of_a_chart_are_words_and_categories_that_series_share_count_once(tmp_path: Path) -> None:
    def points(kind: str, *values: str) -> str:
        return f"<c:{kind}>{''.join(f'<c:pt><c:v>{value}</c:v></c:pt>' for value in values)}</c:{kind}>"

    series = [points("cat", "North", "South") + points("val", "8.1999999999999993", value) for value in ("2", "3")]
    series += [points("cat", "North", "West") + points("val", "4", "5")]
    chart = f'<c:chart xmlns:c="c">{"".join(f"<c:ser>{one}</c:ser>" for one in series)}</c:chart>'
    (tmp_path / "a.pptx").write_bytes(zipped({"ppt/charts/chart1.xml": chart}))
    words = sorted(word for one in parts(tmp_path / "a.pptx") for word in one.text.split())
    assert words == sorted(["8.2", "2", "8.2", "3", "4", "5", "North", "South", "North", "West"])


def test_a_folder_of_unread_kinds_is_accounted_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.odg").write_bytes(b"sheet")
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")
    assert [(one.path, one.is_below, "1 .odg" in one.problem) for one in measured(tmp_path / "in")] == [
        ("a.odg", False, True)
    ]


def test_the_words_of_office_documents_are_of_their_kinds(tmp_path: Path) -> None:
    text = "<w:r><w:t>{}</w:t></w:r>"
    box = f"<w:txbxContent><w:p>{text.format('boxed')}</w:p></w:txbxContent>"
    drawn = (
        f'<x:AlternateContent xmlns:x="x"><x:Choice>{box}</x:Choice><x:Fallback>{box}</x:Fallback></x:AlternateContent>'
    )
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
    deleted = "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
    body = f"<w:p>{text.format('plain')}{drawn}{note}{hidden}{deleted}</w:p>"
    notes = "".join(f'<w:footnote w:id="{n}">{text.format(f"note{n}")}</w:footnote>' for n in (1, 2))
    (tmp_path / "a.docx").write_bytes(
        zipped(
            {
                "word/document.xml": f'<w:document xmlns:w="{W}">{body}</w:document>',
                "word/footnotes.xml": f'<w:footnotes xmlns:w="{W}">{notes}</w:footnotes>',
            }
        )
    )
    found = [("".join(one.kinds), one.text.strip()) for one in parts(tmp_path / "a.docx")]
    assert sorted(found) == [
        ("", "plain"),
        ("deletion", "deleted"),
        ("hidden", "hidden"),
        ("note", "note2"),
        ("text_box", "boxed"),
    ]


def test_a_folder_is_imported_and_each_of_its_files_accounted_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "folder"
    place.mkdir()
    (place / "whole.md").write_text("---\ntitle: A plan\nmood: calm\n---\n\nKeep *every* word.\n", "utf-8")
    (place / "gone.docx").write_bytes(of_markdown("# Title\n\nSome words of a report that nobody reads.\n", "docx"))
    (place / "film.mp4").write_bytes(b"film")
    page = PdfPage()
    page.text(72, 100, "A page with words")
    (place / "page.pdf").write_bytes(pdf([page]))
    real = notefile.convert
    monkeypatch.setattr(
        notefile,
        "convert",
        lambda data, path, **how: (Converted("# Title\n"), "a reader") if "gone" in path else real(data, path, **how),
    )
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_INDEX__KIND", "none")
    results = {one.path: one for one in measured(place)}
    assert {path: (one.words, one.is_below, bool(one.problem)) for path, one in results.items()} == {
        "film.mp4": (0, False, True),
        "gone.docx": (9, True, False),
        "page.pdf": (4, False, False),
        "whole.md": (6, False, False),
    }
    assert results["film.mp4"].problem != SILENT
    monkeypatch.setattr(sys, "argv", ["conservation", str(place)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    printed = capsys.readouterr().out
    assert "gone.docx: 11.11% of 9 words; gone: some, words, of, a, report, that, nobody, reads\n" in printed
    assert "| all | 4 | 19 | 57.89% | 57.89% | 0 | 8 | 1 | 1 |" in printed
