"""A table of questions is read as it comes out of spreadsheets, and comes back as it was."""

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given

from core.base.errors import QuestionSetError, SourceError
from core.features.evaluation import questions as files
from core.features.evaluation.questions import COLUMNS
from core.features.evaluation.questions import dump_table as dump
from core.features.evaluation.questions import parse_table as parse
from core.model import Gold, Question
from tests.features.evaluation.test_questions import SETS

PETS = [
    Question(
        "q1", "猫为什么打呼噜，咕噜咕噜?", (Gold("猫.md", "因为它高兴"), Gold("b.md", 'a "purr",\nand more')), line=2
    ),
    Question("q2", "do fish talk?", (), any=False, kind="negative", line=5),
]
TABLE = """id,question,kind,any,path,quote
q1,猫为什么打呼噜，咕噜咕噜?,,,猫.md,因为它高兴
q1,,,,b.md,"a ""purr"",
and more"
q2,do fish talk?,negative,no,,
"""


def unnumbered(questions: list[Question]) -> list[Question]:
    return [replace(question, line=0) for question in questions]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_any_encoding_delimiter_and_line_end(encoding: str, delimiter: str, newline: str) -> None:
    text = io.StringIO()
    rows = csv.reader(io.StringIO(TABLE, newline=""))
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    data = text.getvalue().replace("\n", newline).encode(encoding)
    found = parse(data, "pets.csv")
    assert [replace(one, gold=tuple(_plain(gold) for gold in one.gold)) for one in found] == PETS


def _plain(gold: Gold) -> Gold:
    return replace(gold, quote=gold.quote.replace("\r\n", "\n"))


@given(SETS)
def test_what_is_written_is_read(questions: list[Question]) -> None:
    assert unnumbered(parse(dump(questions), "set.csv")) == questions


def test_the_form_of_a_written_table() -> None:
    data = dump([*PETS, Question("q3", "x", (Gold("a.md", "y", 7),), note="n", suggested=True)])
    assert data.decode("utf-8-sig").split("\r\n") == [
        "id,question,kind,any,path,quote,note,suggested,start",
        "q1,猫为什么打呼噜，咕噜咕噜?,,true,猫.md,因为它高兴,,,",
        'q1,猫为什么打呼噜，咕噜咕噜?,,true,b.md,"a ""purr"",\nand more",,,',
        "q2,do fish talk?,negative,false,,,,,",
        "q3,x,,true,a.md,y,n,true,7",
        "",
    ]
    assert data.startswith(b"\xef\xbb\xbf")
    assert dump(PETS).decode("utf-8-sig").startswith(",".join(COLUMNS) + "\r\n")


def test_nothing_in_a_table_is_a_formula() -> None:
    cells = ["=1+1", "-item", "+x", "@y", "'=z", "''-w", "'quoted'", "- [ ] task"]
    questions = [Question(f"q{n}", cell, (Gold("a.md", cell),)) for n, cell in enumerate(cells)]
    data = dump(questions)
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert all(cell[:1] not in tuple("=-+@") for row in rows for cell in row if cell)
    assert unnumbered(parse(data, "x.csv")) == questions
    typed = parse(b"id,question,path,quote\nq,x,a.md,- item\n", "x.csv")
    assert typed[0].gold == (Gold("a.md", "- item"),)


def test_columns_in_another_order_and_others_beside() -> None:
    data = b"\r\n;;\n Quote ;PATH;author;id;Question\nx;a.md;Ann;q1;why?\n;;;;\n"
    assert parse(data, "x.csv") == [Question("q1", "why?", (Gold("a.md", "x"),), line=4)]


@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        ("q1,,,,a.md,x", 2, "'question' is missing"),
        (",why?,,,a.md,x", 2, "'id' is missing"),
        ("q1,why?,,,a.md,", 2, "'quote' is missing"),
        ("q1,why?,,,,x", 2, "'path' is missing"),
        ("q1,why?,,maybe,a.md,x", 2, "'any' must be true or false"),
        ("q1,why?,,,a.md,x,y", 2, "more cells than the first line"),
        ("q1,why?,,,a.md", 2, "this row ends before quote"),
        ("q0,why?,,,a.md,x\nq1", 3, "this row ends before question, path, quote"),
        ('q1,"why?\n",,,a.md,x\nq1,how?,,,a.md,y', 4, "the id 'q1' has a different 'question' in line 2"),
        ("q1,why?,,yes,a.md,x\nq1,,,no,a.md,y", 3, "the id 'q1' has a different 'any' in line 2"),
        ("q1,why?,k,,a.md,x\nq1,,j,,a.md,y", 3, "the id 'q1' has a different 'kind' in line 2"),
        ('q1,why?,,,a.md,"x', 2, "this isn't CSV"),
        ('q0,why?,,,a.md,x\nq1,why?,,,a.md,"x"y', 3, "this isn't CSV"),
        (f"q1,why?,,,a.md,{'x' * 200_000}", 2, "this isn't CSV"),
    ],
)
def test_a_bad_line_is_named(rows: str, line: int, reason: str) -> None:
    with pytest.raises(QuestionSetError, match=rf"pets\.csv, line {line}: .*{reason}") as caught:
        parse(f"{','.join(COLUMNS)}\n{rows}\n".encode(), "pets.csv")
    assert caught.value.line == line


def test_every_bad_line_is_listed() -> None:
    with pytest.raises(QuestionSetError) as caught:
        parse(b"id,question,path,quote,start\nq1,x,a.md,\nq2,x,a.md,y,-2\nq3,x,a.md,y\n,x,,\n", "x.csv")
    assert str(caught.value).split("\n") == [
        "x.csv, line 2: the field 'quote' is missing.",
        "line 3: 'start' must be a whole number.",
        "line 5: the field 'id' is missing.",
    ]


@pytest.mark.parametrize("first", ["id,question\nq1,why?", "frage;antwort\na;b", "q1,why?,a.md,x"])
def test_columns_that_are_missing_are_named(first: str) -> None:
    with pytest.raises(QuestionSetError, match=r"x\.csv, line 1: the first line lacks .*path, quote\."):
        parse(first.encode(), "x.csv")


def test_what_is_no_text_is_told_and_an_empty_file_has_no_questions() -> None:
    assert parse(b"", "x.csv") == parse(b" \n", "x.csv") == parse(b"id,question,path,quote\n", "x.csv") == []
    with pytest.raises(SourceError, match="PNG"):
        parse(b"\x89PNG\r\n\x1a\n", "x.csv")
    table = TABLE.replace(",", "\t").replace('"a ""purr""\t\nand more"', "purr").encode()
    assert [len(one.gold) for one in files.parse(table, "pets.TSV")] == [2, 0]
