"""A passage over two pages of a document: search, answers and programs name the page of the sentence that answers."""

from collections.abc import Iterator

import pytest

from core.features.answers.operations import AnswerView
from core.operations.search import ResultView
from core.workspace import Workspace
from tests.documents.pdfs import PdfPage, pdf

pytestmark = pytest.mark.usefixtures("bundled")

PAGES = (
    ("The harbour office keeps a diary of every ship that came in last winter. The harbour", "master writes it by"),
    ("hand in a blue book.", "The lighthouse keeper buys his coffee in the town of Marle on Saturdays."),
)
ASKED = "where does the lighthouse keeper buy his coffee?"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    pages = [PdfPage(), PdfPage()]
    for page, lines in zip(pages, PAGES, strict=True):
        for number, line in enumerate(lines):
            page.text(72, 300 + 14 * number, line)
    with Workspace(tmp_path_factory.mktemp("pages") / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_upload([("harbour.pdf", pdf(pages))], "work"))
        yield workspace


@pytest.mark.parametrize(("question", "page"), [(ASKED, 2), ("who keeps a diary of every ship?", 1)])
def test_search_and_answers_name_the_page_of_the_sentence(filled: Workspace, question: str, page: int) -> None:
    assert len(filled.chunks.all(filled.notes.all()[0].id)) == 1
    result, answer = filled.search(question), filled.answers.ask(question)
    assert [hit.page for hit in result.hits] == [page]
    assert [quote.page for quote in answer.quotes] == [page]
    assert [citation.page for citation in AnswerView.from_answer(answer).citations] == [page]
    assert [hit.page for hit in ResultView.from_result(result).hits] == [page]
    assert [one.page for one in filled.context(question).citations] == [page]
