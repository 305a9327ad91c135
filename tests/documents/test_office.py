"""Office documents as notes: what Word, PowerPoint, LibreOffice and Excel show is in the note, or is named."""

from collections.abc import Iterator

import pytest

from core.model import Note
from core.workspace import Workspace
from tests.documents import written


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Note]]:
    """The notes of one folder with a document of each kind."""
    place = tmp_path_factory.mktemp("office")
    (place / "work").mkdir()
    files = {
        "lease.docx": written.lease(),
        "talk.pptx": written.talk(),
        "essay.odt": written.essay(),
        "letter.rtf": written.LETTER,
        "book.epub": written.book(),
        "prices.xlsx": written.sheet(),
    }
    for name, data in files.items():
        (place / "work" / name).write_bytes(data)
    with Workspace(place / "workspace") as workspace:
        workspace.bases.add("work", embedder="tfidf")
        report = workspace.imports.apply(workspace.imports.plan_folder(place / "work", "work"))
        assert report.failed == ()
        yield {str(card.path): workspace.notes.get(card.id) for card in workspace.notes.all()}


def test_a_word_document_keeps_what_word_shows(notes: dict[str, Note]) -> None:
    assert (
        notes["lease.docx"].body
        == """\
# Article 1 Terms

# 1.1 Rent

担当は山田さんです。（やまだ）

钥匙在抽屉里。（yào shi）

Drawn beryl.

Old citrine.

Inner opal.

Ask here.

> [!comment] Kim
>
> Ask the notary.

1.  one

    - a) sub

      - 1(a)(i) deep

2.  two

m

| 3. first 4. second | right |
|--------------------|-------|

m²

**Harvest**

|        | Tons |
|--------|------|
| Apples | 3.5  |
| Pears  | 7    |

## Annex

From **HTML** zircon.

> [!header]
>
> Contract 2026-77

> [!footer]
>
> Page euclase
"""
    )


def test_a_presentation_keeps_notes_charts_diagrams_groups_and_comments(notes: dict[str, Note]) -> None:
    note = notes["talk.pptx"]
    assert (
        note.body
        == """\
## Growth

- One
- Two

In a group

**Harvest**

|        | Tons |
|--------|------|
| Apples | 3.5  |
| Pears  | 7    |

Plan

> [!notes]
>
> Say thanks

> [!comment] Ada
>
> Too long

## Backup

> [!footer]
>
> Confidential
"""
    )
    assert [str(one) for one in note.warnings] == ["1 hidden slide was read too: 2"]


def test_a_text_of_libreoffice_keeps_what_it_shows(notes: dict[str, Note]) -> None:
    assert (
        notes["essay.odt"].body
        == """\
See here

> [!comment] Lin
>
> Which one?

山田さん（やまだ）

ab

In a box

In a shape

- a) first

  - (1) sub

Entry 3

On 12 May

| cell inner | next |
|------------|------|

**Yield**

| Apples | 3.5 |
|--------|-----|

> [!header]
>
> Headline
"""
    )


def test_a_rich_text_keeps_code_pages_tables_in_tables_boxes_and_comments(notes: dict[str, Note]) -> None:
    note = notes["letter.rtf"]
    assert (
        note.body
        == """\
# Greeting

One two[^1]

> [!comment] Lin
>
> Why?

- a) item
- 2(b) other

При山ア

In a box

| A inner more tail | B   |
|-------------------|-----|

[link](https://a.b/c) m²

😀 平

shown

> [!header]
>
> Letterhead

[^1]: A note.
"""
    )
    assert (note.title, note.extra["author"]) == ("Letter", "Kim")


def test_a_book_begins_with_its_description(notes: dict[str, Note]) -> None:
    assert notes["book.epub"].body == "About **quince**.\n\nText.\n"


def test_sheets_keep_comments_boxes_and_charts_and_hidden_ones_are_named(notes: dict[str, Note]) -> None:
    note = notes["prices.xlsx"]
    assert note.body == (
        "## Prices\n\n| Item | Price |\n|---|---|\n\n**Harvest**\n\n|  | Tons |\n|---|---|\n"
        "| Apples | 3.5 |\n| Pears | 7 |\n\nIn a box\n\n> [!comment] Ada\n> B1: Net?\n\n## Costs\n\n| Secret |\n|---|\n"
    )
    assert [str(one) for one in note.warnings] == ["1 hidden sheet was read too: Costs"]
