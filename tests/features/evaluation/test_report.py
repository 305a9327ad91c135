"""A report tells what the runs say, and nothing of a question in it is a formula, Markdown or HTML."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from core.features.evaluation.comparison import side_by_side, to_csv, to_html, to_markdown
from core.features.evaluation.questions import dump_table
from core.model import (
    METRICS,
    ChunkingOptions,
    Diagnosis,
    FoundSpan,
    GoldSpan,
    Pipeline,
    Question,
    QuestionResult,
    SearchSettings,
    SideBySide,
)
from tests.features.evaluation.paper import negative, ranked, result, run

HOSTILE = (
    "<script>alert(1)</script>",
    "</table><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "a | b || c\\| d \\",
    "one\ntwo\r\n\r\n# three\n| a |\n| --- |",
    "=cmd|' /C calc'!A0",
    "\u202eright to left\u2066 and \u200fleft",
    "![x](http://x.test/a.png) [y](javascript:alert(1)) [^1] [[z]] <http://x.test>",
    "see https://x.test, www.x.test and a@b.test",
    "`code` **bold** __b__ _i_ ~~gone~~ $x^2$ ==marked== %%hidden%% #tag",
    "--- ",
    "1. one",
    "- x",
    "&lt;b&gt; &amp; &#60;",
    "{language} {body}",
    "\x00\x07\x1b[31m\ud800",
    "怎么|撤销<b>提交</b>？",
)
"""Texts as a note, a path or a question may have."""

WHITE = re.compile("[\x00-\x20\x7f-\x9f\u2028\u2029]+")


def line(text: str) -> str:
    """A text as a report shows it."""
    text = re.sub("[\u202a-\u202e\u2066-\u2069]", "", WHITE.sub(" ", text))
    return re.sub("[\ud800-\udfff]", "\ufffd", text).strip()


def asked(id: str, text: str, rank: int | None) -> QuestionResult:
    gold = GoldSpan(text, text, 100, 200, "n1")
    hits = (FoundSpan("n1", text, text, 100, 200, 0, 1.0),) if rank else ()
    return replace(result(id, rank), id=f"{id}{text}", question=text, kind=text, golds=(gold,), hits=hits)


def hostile(texts: Sequence[str]) -> SideBySide:
    """Every text as id, question, kind and path, some as names and settings; half are gained, half lost."""
    old = [asked(f"{n}", text, None if n % 2 else 1) for n, text in enumerate(texts)]
    new = [asked(f"{n}", text, 1 if n % 2 else None) for n, text in enumerate(texts)]
    first, *_, last = texts
    shown = [
        run(name, results, set_name=name, pipeline=Pipeline(name), settings={first: name}, ended_at=None)
        for name, results in ((f"a {first}", old), (f"b {last}", new))
    ]
    return side_by_side(shown)


class Parsed(HTMLParser):
    """The tags of a page and the texts of its table cells."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.cells: list[str] = []
        self._within = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag in ("td", "th"):
            self.cells.append("")

        self._within = self._within or tag in ("td", "th")

    def handle_endtag(self, tag: str) -> None:
        self._within = self._within and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._within:
            self.cells[-1] += data


def rendered(markdown: str) -> Parsed:
    return Parsed(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown))


# hostile text


def test_in_html_a_text_is_text() -> None:
    page = to_html(hostile(HOSTILE), base=HOSTILE[1])
    found = Parsed(page)
    assert found.tags == set("html head meta title style body h1 h2 p table thead tbody tr th td".split())
    assert found.attributes <= {"lang", "charset", "http-equiv", "content", "name", "class", "scope"}
    assert [text for text in HOSTILE if line(text) not in found.cells] == []
    assert not re.search("[\u202a-\u202e\u2066-\u2069\ud800-\udfff\x00]", page)
    page.encode()


def test_in_markdown_a_text_is_text() -> None:
    report = to_markdown(hostile(HOSTILE), base=HOSTILE[4])
    found = rendered(report)
    assert found.tags == set("h1 h2 p table thead tbody tr th td".split())
    assert [text for text in HOSTILE if line(text) not in found.cells] == []
    assert not re.search(r"https?://|www\.|<|\w@[a-z]|%%|==", report)
    report.encode()


@settings(deadline=None, max_examples=30)
@example(HOSTILE[3:5])
@given(st.lists(st.text(alphabet="ab1 |\\`*_[]()<>&#=%~$^!-+.:/@\n\t\"'中{}", max_size=12), min_size=2, max_size=4))
def test_whatever_a_question_says_it_comes_out_as_it_is(texts: Sequence[str]) -> None:
    shown = hostile(texts)
    for found in (rendered(to_markdown(shown)), Parsed(to_html(shown))):
        assert not found.tags & set("em strong s a img code pre ul ol li blockquote hr script svg h3".split())
        assert [text for text in texts if line(text) not in found.cells] == []


def test_in_csv_nothing_is_a_formula_and_all_else_is_as_it_was() -> None:
    texts = [*(text for text in HOSTILE if "\ud800" not in text), "＝1+1", "\n=1", "-2", "@x", "\t=1"]
    rows = list(csv.reader(io.StringIO(to_csv(hostile(texts)).decode("utf-8-sig"), newline="")))
    assert not [cell for row in rows for cell in row if cell[:1] in tuple("=-+@\t\r\n＝＋－＠")]
    told = [row[1] for row in rows[1:]]
    assert told == [f"'{text}" if text[0] in "=-@＝\n\t" else text for text in texts]
    assert len({len(row) for row in rows}) == 1
    assert dump_table([Question("q", "=1", ())]).splitlines()[1].startswith(b"q,'=1,"), "the same rule as for sets"


def test_half_a_character_is_no_failure() -> None:
    assert to_csv(hostile(["\ud800", "b"])).startswith(b"\xef\xbb\xbf")


# what it says


def shown() -> SideBySide:
    kinds = dict.fromkeys(("short", "keyword"))
    old = [result(f"{n}", rank, kind=kind) for n, (rank, kind) in enumerate(zip((1, None), kinds, strict=True))]
    new = [result(f"{n}", rank, kind=kind) for n, (rank, kind) in enumerate(zip((None, 3), kinds, strict=True))]
    other = {"semantic_weight": 0.4, "chunk_size": 512}
    return side_by_side([run("old", [*old, negative("n")]), run("weight 0.4", [*new, negative("n")], settings=other)])


def test_a_comparison_in_markdown() -> None:
    report = to_markdown(shown(), base="notes")
    for part in (
        "# Comparison of test runs\n",
        "3 questions, 2 with an answer in the notes.\n\nKnowledge base: notes\n",
        "| old | mine | 3 | 2026-01-31 09:15 UTC | 2026-01-31 09:15 UTC |",
        "## Settings that differ\n\n| Setting | old | weight 0.4 |\n",
        "| Weight of meaning | 0.6 | 0.4 |\n",
        (
            "weight 0.4, measured by 'Rank of the correct passage (MRR)': Better on 1, worse on 1, the same on 0. "
            "There are too few questions"
        ),
        "| Figure | old | weight 0.4 | weight 0.4 − old |",
        "| First hit is correct | 0.500 | 0.000 | -0.500 |",
        "| Rank of the correct passage (MRR) | 0.500 | 0.167 | -0.333 |",
        "| Typical time | 12.0 ms | 12.0 ms | +0.0 ms |",
        "| short question | 1 | 1 | 0 |\n| keyword | 1 | 0 | 1 |",
        "## Newly found: weight 0.4\n\n| Id | Question | Correct passage | old | weight 0.4 |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| 1 | question 1? | a.md | – | 3 |",
        "## No longer found: weight 0.4\n\n| Id | Question | Correct passage | old | weight 0.4 |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| 0 | question 0? | a.md | 1 | – |",
    ):
        assert part in report
    assert "interval" not in report, "of so few questions it means nothing"


def test_differences_have_their_interval_where_it_means_something() -> None:
    report = to_markdown(side_by_side([ranked("old", (1, 2) * 15), ranked("new", (1,) * 30)]))
    (row,) = re.findall(r"\| Rank of the correct passage \(MRR\) \| 0\.750 \| 1\.000 \| (.+) \|", report)
    assert re.fullmatch(r"\+0\.250 \(\+0\.1\d\d … \+0\.3\d\d\)", row)
    assert "95% confidence interval" in report
    assert report.count("No questions.") == 2


def test_the_page_and_the_markdown_say_the_same() -> None:
    page = to_html(shown(), base="notes")
    assert rendered(to_markdown(shown(), base="notes")).cells == Parsed(page).cells
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert not re.search(r"https?:|src=|href=|url\(|@import|<script", page)
    assert "default-src 'none'" in page


def test_a_table_has_a_row_for_each_question() -> None:
    head, *rows = csv.reader(io.StringIO(to_csv(shown()).decode("utf-8-sig"), newline=""))
    assert head[:5] == ["id", "question", "kind", "old: rank", "old: took_ms"]
    assert head[5 : 5 + len(METRICS)] == [f"old: {name}" for name in METRICS]
    assert head[5 + len(METRICS) : 8 + len(METRICS)] == [
        f"weight 0.4: {name}" for name in ("rank", "change", "took_ms")
    ]
    told = [dict(zip(head, row, strict=True)) for row in rows]
    assert [one["weight 0.4: change"] for one in told] == ["lost", "gained", "same"]
    assert [one["weight 0.4: rank"] for one in told] == ["", "3", ""]
    assert [one["weight 0.4: mrr@10"] for one in told] == ["0", "0.333333", ""]
    assert [one["old: took_ms"] for one in told] == ["12.0"] * 3


def test_a_run_alone_tells_what_it_missed_and_why() -> None:
    why = Diagnosis(0, "pool")
    one = side_by_side([run("mine", [result("a", 1), result("b", None, diagnoses=(why, why)), result("c", 11)])])
    report = to_markdown(one)
    assert report.startswith("# Test run report\n")
    assert "## Settings\n\n| Setting | mine |" in report
    assert f"| b | question b? | a.md | {why.message} |\n| c | question c? | a.md | – |" in report
    assert "Newly found" not in report
    head, *rows = csv.reader(io.StringIO(to_csv(one).decode("utf-8-sig"), newline=""))
    assert head == ["id", "question", "kind", "rank", "took_ms", *METRICS]
    assert [row[3] for row in rows] == ["1", "", "11"]
    assert Parsed(to_html(one)).cells.count("question c?") == 1


@pytest.mark.parametrize("results", [[], [negative("n")]])
def test_a_run_without_answers_is_told_too(results: list[QuestionResult]) -> None:
    one = side_by_side([run("mine", results, ended_at=None, questions=4)])
    assert "| mine | mine | 0 / 4 | " in to_markdown(one).replace(f"{len(results)} / 4", "0 / 4")
    assert "stopped" in to_html(one)
    assert len(to_csv(one).splitlines()) == 1 + len(results)


def test_a_report_in_chinese() -> None:
    stopped = ranked("mine", (1, 1), ended_at=None, index_version=8)
    search = SearchSettings(semantic_weight=0.4, reranker="none")
    way = Pipeline(chunking=ChunkingOptions(chunk_size=256), search=search)
    first, results = ranked("", (1, 2, None), settings={"chunk_size": 256})
    uneven = side_by_side([(replace(first, pipeline=way), results), stopped])
    for one in (shown(), uneven, side_by_side([run("mine", [result("a")])])):
        report = to_markdown(one, "b", "zh_CN")
        english = to_markdown(one, "b")
        assert report.count("\n") == english.count("\n")
        sentences = [line for line in report.splitlines() if line and not line.startswith("|")]
        assert [line for line in sentences if not re.search("[一-鿿]", line)] == []
    assert "分块 256 个词元，最大 1,500 个 · 语义权重 0.4 · 不重排" in to_markdown(uneven, "b", "zh_CN")
    assert '<html lang="zh-CN">' in to_html(uneven, "b", "zh_CN")
