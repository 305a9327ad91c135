"""Code is quoted letter for letter, wherever a quote or a passage begins and ends."""

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from unittest.mock import Mock

import pytest

from core.base.fences import open_fence
from core.base.flow import as_copied, flow
from core.features.answers.choosing import Excerpt, _quote, excerpts
from core.features.answers.units import units_of, with_code
from core.model import Answer, Quote
from pages.ui.search.quotes import _text, as_markdown
from pages.ui.shared.rendered import excerpt, render_text
from tests.features.answers.test_excerpts import candidates, only_reading

__all__ = ["only_reading"]

LINES = [
    r"$ git config --get-regexp '^alias\.'",
    "",
    "alias.ap add --patch",
    "# a comment, no heading",
    "  | cell | *not* bold | `tick`",
    "",
    "- no_list *at* all",
    "> no quote. Nor two sentences?",
    "1. [no](link) <b>&amp;</b>",
    "~~",
    "    return 'deep \\_ indent'  # e.g. this",
    "``",
    "a | b",
    "--|--",
    "done --now",
]
"""Code that would look different as Markdown."""

OPENINGS = ["```", "```sh", "````md", "~~~", "~~~~ text", "    ", "\t", "> ```", "- ```py", "1. ~~~"]


def fenced(opening: str) -> tuple[list[str], list[str]]:
    """The lines of a note with a block of code, and those of the code as they stand there."""
    marks = re.sub(r"[^`~]", "", opening)
    if not marks:
        code = [f"{opening}{line}" if line else "" for line in LINES]
        return ["Take these steps:", "", *code, "", "That was it."], code
    before = {">": "> ", "-": "  ", "1": "   "}.get(opening[0], "")
    code = [f"{before}{line}".rstrip(" ") if line else before.rstrip(" ") for line in LINES]
    return ["Take these steps:", "", opening, *code, f"{before}{marks}", "", "That was it."], code


def cuts(opening: str) -> Iterator[tuple[str, str, list[str]]]:
    """Each chunk of a note that begins at one line and ends at another, with its fence and its lines of code."""
    lines, code = fenced(opening)
    first = lines.index(code[0])
    is_fenced = opening.strip() != ""
    for start in range(len(lines)):
        for end in (start + 1, start + 4, len(lines) - 3, len(lines)):
            inside = [at for at in range(first, first + len(code)) if start <= at < end and lines[at].strip(" >")]
            if start < end and inside:
                lead = open_fence("\n".join(lines[:start])) if is_fenced else ""
                yield "\n".join(lines[start:end]), lead, [lines[at] for at in inside]


def told(drawn: str) -> str:
    """The text that is shown of HTML."""
    text = re.sub(r"<br>|</div>|</pre>|<pre[^>]*>", "\n", drawn)
    return html.unescape(re.sub(r"<[^<>]*>", "", text))


def bare(text: str, opening: str) -> list[str]:
    """The lines of a text without their indentation, and without the marks of the quote around the code."""
    mark = "> " if opening.startswith(">") else ""
    lines = (line.removeprefix(mark).strip() for line in text.split("\n"))
    return [line for line in lines if line not in ("", ">")]


def is_in(line: str, shown: str) -> bool:
    """Whether a line of code is one of those shown, where the mark of a list or a quote may come first."""
    return bool(re.search(rf"(?m)^(?:[•>]|1\.)?[ \t>]*{re.escape(line)}[ \t]*$", shown))


def quotes(text: str, fence: str, seed: int) -> Iterator[tuple[Excerpt, Quote]]:
    random = Random(seed)
    values = [random.gauss(0, 3) for _ in units_of(text, fence)]
    for number, found in enumerate(excerpts(candidates(text, *values, fence=fence)), 1):
        yield found, _quote(number, found)


@pytest.mark.parametrize("opening", OPENINGS)
def test_code_is_code(opening: str) -> None:
    for text, fence, code in cuts(opening):
        units = units_of(text, fence)
        at = 0
        for line in code:
            at = text.index(line, at)
            around = [unit for unit in units if unit.start < at + len(line) and at < unit.end]
            if sum(map(str.isalnum, line)) > 1:
                assert [unit.kind for unit in around] == ["code"], (text, fence, line)
            at += len(line)


@pytest.mark.parametrize("opening", OPENINGS)
def test_code_is_quoted_letter_for_letter(opening: str) -> None:
    for seed, (text, fence, code) in enumerate(cuts(opening)):
        for found, quote in quotes(text, fence, seed):
            for part, shown in (
                (quote.shown, told(_text(quote))),
                (quote.shown, quote.readable(quote.shown)),
                (quote.marked, "\n".join(line.removeprefix("> ") for line in as_markdown(quote).split("\n"))),
            ):
                whole = bare(quote.text[slice(*part)], opening)
                held = [line for line in bare("\n".join(code), opening) if line in whole]
                missing = [line for line in held if not is_in(line, shown)]
                assert missing == [], "\n".join((text, "F " + fence, "K " + quote.kind, "S", shown))
                assert found.hit.chunk.text[found.start : found.end] in quote.text


@pytest.mark.parametrize("opening", OPENINGS)
def test_code_in_a_passage_is_shown_letter_for_letter(opening: str) -> None:
    for text, fence, code in cuts(opening):
        for paged in (False, True):
            flowing = flow(text, paged=paged, fence=fence)
            for shown in (as_copied(flowing), told(render_text(flowing, fence=fence))):
                missing = [line for line in bare("\n".join(code), opening) if not is_in(line, shown)]
                assert missing == [], (text, fence, shown)
        start = text.index(code[0])
        brief = told(excerpt(flow(text, fence=fence), (), (start, start + 1), underline=False, fence=fence))
        assert bare(code[0], opening)[0] in brief.replace("… ", "")


def test_blank_lines_of_code_are_kept_in_a_passage() -> None:
    assert re.search(r"a\n\s*\n\s*\n\s*b", told(render_text("Run:\n\n```\na\n\n\nb\n```\n")))


def test_code_that_is_copied_stays_code() -> None:
    text = "Do this.\n\n```sh\n" + "\n".join(f"run --with '^{number}\\.' | sort" for number in range(40)) + "\n```\n"
    for _, quote in quotes(text, "", 1):
        lines = [line.removeprefix("> ") for line in as_markdown(quote).split("\n")]
        assert sum(line.startswith("```") for line in lines) % 2 == 0, lines
        assert ("```sh" in lines) == ("run --with" in quote.marked_text)


DONE = {
    "fence": ("Run it:\n\n```sh\nmake all\n```", "\n\nDone now.\n"),
    "blank line at its end": ("Run it:\n\n```sh\nmake all\n\n```", "\n\nDone now.\n"),
    "carriage returns": ("Run it:\r\n\r\n```sh\r\nmake all\r\n```", "\r\n\r\nDone now.\r\n"),
    "quoted": ("> Run it:\n>\n> ```sh\n> make all\n>\n> ```", "\n\nDone now.\n"),
    "next to a fence": ("Run it:\n\n    make all", "\n```\nanother --one\n```\n"),
}


@pytest.mark.parametrize("code", DONE)
def test_a_quote_of_code_ends_with_its_fence(code: str) -> None:
    whole, after = DONE[code]
    text = whole + after
    at = text.index("Run it")
    assert with_code(text, "", (at, at + len("Run it:")))[1] == len(whole)


ASIDE = {
    "a list above a table": "- Item here\n\n| a | b |\n|---|---|\n| one | two |\n\n```\nmake all\n```\n",
    "a sentence above a table": "Some sentence.\n\n| one | two |\n\n```\nmake all\n```\n",
    "a list above rows": "- Item here\n\n| one | two |\n\n    make all\n",
}


@pytest.mark.parametrize("text", ASIDE.values(), ids=ASIDE)
def test_a_row_does_not_bring_what_stands_around_its_table(text: str) -> None:
    row = next(unit for unit in units_of(text) if unit.kind == "row")
    assert with_code(text, "", (row.start, row.end)) == (row.start, row.end)
    (code,) = (unit for unit in units_of(text) if unit.kind == "code")
    assert code.lead is None


def test_a_sentence_before_indented_code_is_prose() -> None:
    text = "Run it *like* this:\n\n    make all\n    make *test*\n"
    for _, quote in quotes(text, "", 1):
        drawn = _text(quote)
        assert "*like*" not in drawn
        assert "make *test*" in told(drawn)


def test_text_below_code_in_a_list_is_drawn_as_it_is() -> None:
    for below, shown in (("2. Then this one.", "2. Then this one."), ("    More of it.", "More of it.")):
        text = f"1. Do this:\n\n    ```\n    code x\n    ```\n\n{below}"
        drawn = {told(_text(replace(quote, shown=(0, len(quote.text))))) for _, quote in quotes(text, "", 1)}
        assert any(one.endswith(shown) for one in drawn), drawn
        assert not any("!!!" in one for one in drawn), drawn


@pytest.mark.parametrize("ending", ["```sh\nmake all\n```", "~~~\nmake all\n~~~", "    make all"])
def test_the_number_is_never_part_of_the_code(ending: str) -> None:
    for _, quote in quotes(f"Run it like this:\n\n{ending}\n\nDone now.\n", "", 1):
        text = Answer("how?", (quote,), 1.0, "yes", False, Mock(is_comparison=False)).text
        assert told(render_text(text)).endswith(f"[{quote.number}]")
        assert open_fence(text) == ""
        assert f"``` [{quote.number}]" not in text


def test_the_number_of_a_quote_stands_below_its_code() -> None:
    code = "\n".join(f"run --with '^{number}\\.' | sort" for number in range(40))
    for _, quote in quotes(f"Do this.\n\n```sh\n{code}\n```\n", "", 1):
        gap = "\n" if "run --with" in quote.text[slice(*quote.shown)] else " "
        text = Answer("how?", (quote,), 1.0, "yes", False, Mock(is_comparison=False)).text
        assert text.endswith(f"{gap}[{quote.number}]"), text
