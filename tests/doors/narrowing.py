"""Filters, the notes that pass them, and what is said of those that can't be, for the tests of every door."""

from pathlib import Path

from core.model import ChunkingOptions
from core.workspace import Workspace
from tests.documents.pdfs import PdfPage, pdf

BASE = "birds"
_DAYS = "---\ncreated: {created}\nupdated: {updated}\nurl: https://herons.example.org/{title}\n---\n"
_NOTES = {
    "table": ("2024-02-03", "2024-05-06", "| heron | year |\n| --- | --: |\n| one | 2024 |\n"),
    "task": ("2024-03-31", "2025-01-01", "1. [x] watch the heron\n"),
    "code": ("2025-07-01", "2025-12-31", "```\na heron | b\n- [z]\n```\n\n## Plumage\n\nGrey.\n\n## Nesting\n"),
    "diagram": ("0001-01-01", "9999-12-31", "A heron.\n\n```mermaid\ngraph LR; a-->b\n```\n\nSee [[code]].\n"),
    "image": ("0001-01-01", "9999-12-31", "A heron.\n\n![[heron.png]]\n"),
}
_PARTS = ("Where it stands", "What it eats", "When it leaves")
"""The titles of the PDF's pages."""


def fill(workspace: Workspace, folder: Path) -> None:
    """Import a note of each kind of text, and a PDF of three pages that are one chunk."""
    folder.mkdir()
    for title, (created, updated, text) in _NOTES.items():
        (folder / f"{title}.md").write_text(
            f"{_DAYS.format(created=created, updated=updated, title=title)}# {title}\n\n{text}"
        )
    pages = []
    for part in _PARTS:
        page = PdfPage()
        page.text(72, 100, f"{part}: the heron is grey.")
        pages.append(page)
    pages[1].text(72, 140, "Frogs are its favourite food.")
    (folder / "book.pdf").write_bytes(pdf(pages, title="book"))
    workspace.bases.add(BASE, embedder="tfidf", chunking=ChunkingOptions(strategy="none"))
    workspace.imports.apply(workspace.imports.plan_folder(folder, BASE))


EVERY = {"table", "task", "code", "diagram", "image"}
CASES: dict[str, set[str]] = {
    "has:table": {"table"},
    "has:task": {"task"},
    "has:code": {"code"},
    "has:image": {"image"},
    "含：表格,图片": {"table", "image"},
    "has:diagram": {"diagram"},
    "包含：链接": {"diagram"},
    "包含架构图的笔记": {"diagram"},
    "找到包含代码示例的笔记": {"code"},
    "不包含表格的笔记 has:table,task": {"task"},
    "带图片的笔记": {"image"},
    "含有待办事项的笔记": {"task"},
    "-has:table -has:task": {"code", "diagram", "image", "book"},
    "created:2024-02": {"table"},
    "created:2024-02..2024-03": {"table", "task"},
    "created:>=2025 has:code,table": {"code"},
    "created:1900..2999": {"table", "task", "code", "book"},
    "创建于：2024-03-31": {"task"},
    "updated:2024": {"table"},
    "updated:2025-01-01..2025-12-31": {"task", "code"},
    "updated:2026..2999": {"book"},
    "-updated:..2024 has:task,table,code": {"task", "code"},
    "section:plumage": {"code"},
    "章节：Nesting": {"code"},
    "-section:nesting has:code,table": {"table"},
    "page:1": {"book"},
    "page:2": {"book"},
    "page:3": {"book"},
    "page:4": set(),
    "page:<2": {"book"},
    "page:0..1": {"book"},
    "page:2..999999999999999999": {"book"},
    "-page:2": EVERY,
    "页码：2": {"book"},
    "kind:pdf": {"book"},
    "文件类型：PDF": {"book"},
    "kind:.pdf,docx": {"book"},
    "kind:docx": set(),
    "-kind:pdf": EVERY,
    "url:herons.example.org/table": {"table"},
    "source_url:https://herons.example.org/t": {"table", "task"},
    "网址：herons.example.org -url:org/t": EVERY - {"table", "task"},
    "language:en page:1": {"book"},
    "language:zh": set(),
    "语言：代码": set(),
    "level:1": EVERY,
    "层级：0": {"book"},
}
"""Filters with the titles of the notes that pass them."""
REFUSED: dict[str, str] = {
    "has:video": "'has:' can't be 'video'. Choices: code, table, task, image",
    "kind:exe": "'kind:' can't be 'exe'. Choices: pdf, docx,",
    "page:0": "There is no page 0 because pages are counted from 1.",
    "page:-3": "There is no page -3 because pages are counted from 1.",
    "page:<1": "There is no page 0 because pages are counted from 1.",
    "page:1-99999999999": "'page:' needs a number, such as page:2",
    "page:1..99999999999999999999999": "'page:' needs a number, such as page:2",
    "page:two": "'page:' needs a number, such as page:2",
    "page:5..2": "'5..2' ends before it begins. Write the smaller number first.",
    "created:2024-13": "'2024-13' doesn't exist in the calendar.",
    "created:2024-02-30": "'2024-02-30' doesn't exist in the calendar.",
    "updated:soon": "'soon' isn't a date.",
    "updated:2025..2024": "'2025..2024' ends before it begins.",
    "updated:99999-01-01": "'99999-01-01' ",
    "created:0001-01-01": "'0001-01-01' is out of range. Use a date from 1900 to 2999.",
    "updated:<9999-12-31": "'9999-12-31' is out of range. Use a date from 1900 to 2999.",
}
"""Filters that can't be, each with what is said of it."""
