"""Each element of Office documents that may hold text is in the note or named, in Transitional and Strict."""

from collections.abc import Callable

import pytest

from tests.documents import ooxml
from tests.documents.test_markers import arrived, held, read

MAKERS: dict[str, Callable[[], bytes]] = {
    "docx": ooxml.word,
    "pptx": ooxml.presentation,
    "xlsx": ooxml.workbook,
}
LOST: dict[str, dict[str, str]] = {"docx": {}, "pptx": {}, "xlsx": {}}
"""What is lost without a word, by format: the marker, and why."""


@pytest.mark.parametrize("form", ["transitional", "strict"])
@pytest.mark.parametrize("kind", MAKERS)
def test_each_element_with_text_arrives(kind: str, form: str) -> None:
    data = MAKERS[kind]()
    data = ooxml.strict(data) if form == "strict" else data
    assert len(held(data)) > 20
    assert held(data) - arrived(read(data, kind)) == {*LOST[kind]}
