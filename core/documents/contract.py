"""Contract tests for every converter, including those in other packages.

A test class inherits from ConverterContract and defines two fixtures: `converter` returns the converter under test, and
`document` returns a document's bytes and its kind.
"""

from contextlib import suppress

import pytest

from core.base.errors import SourceError
from core.documents import Converter


class ConverterContract:
    """Tests that every converter must pass."""

    def test_a_document_has_text_and_its_pages_are_offsets_in_it(
        self, converter: Converter, document: tuple[bytes, str]
    ) -> None:
        made = converter.convert(*document)
        assert made.text.strip()
        assert list(made.pages) == sorted(made.pages)
        assert all(0 <= place <= len(made.text) for place in made.pages)
        assert converter.version
        assert document[1] in converter.kinds.split()

    def test_the_same_document_has_the_same_text(self, converter: Converter, document: tuple[bytes, str]) -> None:
        assert converter.convert(*document) == converter.convert(*document)

    @pytest.mark.parametrize("damage", ["cut", "garbage"])
    def test_a_damaged_document_is_read_or_refused_by_a_source_error(
        self, converter: Converter, document: tuple[bytes, str], damage: str
    ) -> None:
        data, kind = document
        broken = data[: len(data) // 3] if damage == "cut" else bytes(range(256)) * 40
        with suppress(SourceError):
            assert isinstance(converter.convert(broken, kind).text, str)
