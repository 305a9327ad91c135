"""Each construct of Markdown, of GitHub and of Obsidian: what is written in it is found, shown and exported."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.chunking import CHUNKERS, build
from core.model import ChunkingOptions
from core.workspace import Workspace
from pages.ui.shared import rendered
from pages.ui.shared.document import document
from tests.chunking.fakes import chunks_of
from tests.markdown.test_tags import Nowhere

CONSTRUCTS = {
    "heading": "# A MARKER",
    "setext": "A MARKER\n===\n\ntext",
    "closed heading": "## A MARKER ##",
    "paragraph": "words MARKER words",
    "hard break": "one  \nMARKER two",
    "escape": "a \\*MARKER\\* b",
    "entity": "a &amp; MARKER &copy; b",
    "emphasis": "a *MARKER* b",
    "strong": "a **MARKER** b",
    "nested emphasis": "a ***MARKER** b* c",
    "intraword": "un*MARKER*able",
    "code span": "a `MARKER` b",
    "code span ticks": "a ``x ` MARKER`` b",
    "link": "a [MARKER](http://a.b) c",
    "link address": "a [x](http://a.b/MARKER) c",
    "link title": 'a [x](http://a.b "MARKER") c',
    "reference link": "a [MARKER][r] b\n\n[r]: http://a.b",
    "reference definition": "a [x][r] b\n\n[r]: http://a.b/MARKER",
    "shortcut reference": "a [MARKER] b\n\n[MARKER]: http://a.b",
    "image alt": "![MARKER](a.png)",
    "image address": "![x](MARKER.png)",
    "autolink": "<http://a.b/MARKER>",
    "mail autolink": "<MARKER@a.b>",
    "bare address": "see http://a.b/MARKER now",
    "block quote": "> a MARKER b",
    "lazy quote": "> a\nMARKER b",
    "nested quote": "> > a MARKER b",
    "list": "- a MARKER b",
    "list star": "* a\n* MARKER",
    "ordered": "1. a\n2. MARKER",
    "ordered paren": "7) MARKER",
    "nested list": "- a\n  - b\n    - MARKER",
    "loose list": "- a\n\n  MARKER\n\n- c",
    "list code": "- a\n\n      MARKER code",
    "fence": "```py\nMARKER = 1\n```",
    "tilde fence": "~~~\nMARKER\n~~~",
    "fence info": "```MARKER\nx\n```",
    "unclosed fence": "```\nMARKER",
    "indented": "    MARKER code",
    "rule": "a\n\n---\n\nMARKER",
    "table": "| a | b |\n|---|---|\n| MARKER | x |",
    "table head": "| MARKER | b |\n|---|---|\n| y | x |",
    "table pipe code": "| a | b |\n|---|---|\n| `x \\| MARKER` | x |",
    "table escaped pipe": "| a | b |\n|---|---|\n| x \\| MARKER | x |",
    "short row": "| a | b |\n|---|---|\n| MARKER |",
    "table no edges": "a | b\n--|--\nMARKER | x",
    "table extra cell": "| a | b |\n|---|---|\n| 1 | 2 | MARKER |",
    "strike": "a ~~MARKER~~ b",
    "task": "- [ ] MARKER",
    "task done": "- [x] MARKER",
    "task other": "- [-] MARKER",
    "task date": "- [ ] pay 📅 2026-01-02 MARKER",
    "task in quote": "> - [ ] MARKER",
    "html block": "<div>\nMARKER\n</div>",
    "html inline": "a <b>MARKER</b> c",
    "html attribute": '<p title="MARKER">x</p>',
    "html table": "<table><tr><td>MARKER</td></tr></table>",
    "html comment": "a <!-- MARKER --> b",
    "html comment block": "<!--\nMARKER\n-->",
    "details": "<details>\n<summary>s</summary>\n\nMARKER\n\n</details>",
    "summary": "<details>\n<summary>MARKER</summary>\n\nx\n\n</details>",
    "pre": "<pre>\nMARKER\n</pre>",
    "script": "<script>\nMARKER\n</script>",
    "kbd": "<kbd>MARKER</kbd>",
    "footnote": "a[^1]\n\n[^1]: MARKER",
    "footnote paragraph": "a[^1]\n\n[^1]: x\n\n    MARKER",
    "inline footnote": "a^[MARKER b] c",
    "unused footnote": "a\n\n[^1]: MARKER",
    "two footnotes": "a[^1] b[^2]\n\n[^1]: x\n[^2]: MARKER",
    "wikilink": "a [[MARKER]] b",
    "wikilink alias": "a [[x|MARKER]] b",
    "wikilink target": "a [[MARKER|x]] b",
    "wikilink heading": "a [[x#MARKER]] b",
    "embed": "![[MARKER]]",
    "embed heading": "![[x#MARKER]]",
    "embed block": "![[x#^MARKER]]",
    "embed size": "![[MARKER.png|300]]",
    "callout title": "> [!note] MARKER\n> b",
    "callout": "> [!note]\n> MARKER",
    "folded callout": "> [!tip]- t\n> MARKER",
    "nested callout": "> [!a] t\n> > [!b] u\n> > MARKER",
    "block id": "words ^MARKER",
    "highlight": "a ==MARKER== b",
    "comment": "a %%MARKER%% b",
    "comment block": "%%\nMARKER\n%%",
    "tag": "a #MARKER b",
    "nested tag": "a #x/MARKER b",
    "inline field": "key:: MARKER",
    "bracket field": "a [key:: MARKER] b",
    "paren field": "a (key:: MARKER) b",
    "math": "a $MARKER$ b",
    "math block": "$$\nMARKER\n$$",
    "math one line": "$$ MARKER $$",
    "definition list": "term\n: MARKER",
    "definition term": "MARKER\n: text",
    "subscript": "H~2~ MARKER",
    "superscript": "x^MARKER^",
    "abbreviation": "HTML x\n\n*[HTML]: MARKER",
    "emoji code": ":MARKER: x",
    "toc": "[[toc]]\n\nMARKER",
    "attribute": "# x {#MARKER}",
    "mermaid": "```mermaid\ngraph TD; A-->MARKER\n```",
    "template": "{{MARKER}}",
    "dataview": "```dataview\nLIST FROM MARKER\n```",
    "inline dataview": "`= this.MARKER`",
    "query": "```query\nMARKER\n```",
    "admonition": "!!! note\n    MARKER",
    "admonition title": '!!! note "MARKER"\n    b',
    "folded admonition": '??? "t"\n\n    - MARKER',
    "tab": '=== "a"\n\n    b\n\n=== "c"\n\n    MARKER',
    "tab title": '=== "MARKER"\n    b',
    "fenced div": "::: warning\nMARKER\n:::",
    "line block": "| a MARKER",
    "citation": "a [@MARKER] b",
    "roam block ref": "a ((MARKER)) b",
    "logseq property": "MARKER:: x",
    "header attributes fence": "``` {.py #MARKER}\nx\n```",
}
"""The name of a construct -> its Markdown with MARKER in it."""

_ADDRESS = "an address is followed by a click, and shown by the browser"
_HIDDEN = "the author hides it; search finds it, the editor shows it"
_ATTRIBUTE = "an attribute of HTML is no text"
_SHOWN_IN_HIT = "reference definition", "unused footnote", "image alt"
_NOT_ON_PAGE = {
    "link title": _ADDRESS, "wikilink target": _ADDRESS, "link address": _ADDRESS, "reference definition": _ADDRESS,
    "html comment": _HIDDEN, "html comment block": _HIDDEN, "comment": _HIDDEN, "comment block": _HIDDEN,
    "unused footnote": "a footnote is drawn where the text refers to it, as in Obsidian",
    "table extra cell": "GitHub's rules ignore a cell beyond the header's",
    "block id": "the name of a block, as in Obsidian",
    "image alt": "the words of a picture are read to the blind, and where the pointer is",
    "attribute": "the id of a heading, as in a title", "header attributes fence": "the name of a language",
}  # fmt: skip
_NOT_IN_HIT = {name: why for name, why in _NOT_ON_PAGE.items() if name not in _SHOWN_IN_HIT} | {
    "wikilink heading": _ADDRESS, "embed heading": _ADDRESS, "embed block": _ADDRESS, "html attribute": _ATTRIBUTE,
    "script": "a program is no text", "fence info": "the name of a language", "image address": _ADDRESS,
}  # fmt: skip
"""Why what is written in a construct isn't read on the page, and in the lines of a hit."""


def written(name: str, marker: str) -> str:
    text = CONSTRUCTS[name].replace("MARKER", marker)
    return text if name.startswith("unclosed") else f"Words before.\n\n{text}\n\nWords after.\n"


def text_of(page: str) -> str:
    return html.unescape(re.sub("<[^<>]*>", "", page))


@pytest.mark.parametrize("strategy", CHUNKERS)
@pytest.mark.parametrize("size", [8, 512])
def test_every_chunker_keeps_it(strategy: str, size: int) -> None:
    chunker = build(
        ChunkingOptions(
            strategy, short_doc_threshold=5, chunk_size=size, chunk_overlap=2, max_single_chunk_size=size + 9
        )
    )
    for name in CONSTRUCTS:
        assert any("quokka" in chunk.text for chunk in chunks_of(chunker, written(name, "quokka"))), name


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_the_page_and_a_hit_show_it_or_the_list_says_why_not(name: str) -> None:
    body = written(name, "quokka")
    assert ("quokka" in text_of(document(body, Nowhere()).html)) != (name in _NOT_ON_PAGE)
    assert ("quokka" in text_of(rendered.render_text(body))) != (name in _NOT_IN_HIT)


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, Path]]:
    folder = tmp_path_factory.mktemp("constructs")
    for number, name in enumerate(CONSTRUCTS):
        (folder / f"{name}.md").write_text(written(name, f"quokka{number}x"), encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        with Workspace(tmp_path_factory.mktemp("workspace") / "here") as workspace:
            workspace.imports.apply(workspace.imports.plan_folder(folder, "vault"), embed=False)
            yield workspace, folder


def test_a_search_finds_it(vault: tuple[Workspace, Path]) -> None:
    for number, name in enumerate(CONSTRUCTS):
        hits = vault[0].search(f"quokka{number}x", mode="keyword", limit=1).hits
        assert [(hit.note.path, f"quokka{number}x" in hit.content) for hit in hits] == [(f"{name}.md", True)], name


def test_an_export_is_what_was_imported(vault: tuple[Workspace, Path], tmp_path: Path) -> None:
    workspace, folder = vault
    workspace.archives.export("vault", tmp_path / "out", "markdown")
    for file in folder.iterdir():
        assert (tmp_path / "out" / file.name).read_bytes() == file.read_bytes()
