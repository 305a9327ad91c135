"""Notes of Logseq, Notion and Evernote: vaults that the tests make, imported as a person does."""

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.base.errors import SourceError
from core.doors import cli
from core.doors.api import PLACE
from core.intake.importers import IMPORTERS, Imported, importer_of
from core.model import Failed, Note
from core.workspace import Workspace
from tests.doors.programs import connected

BLOCK = "65f0a1b2-1111-4222-8333-444455556666"
LOGSEQ = {
    "logseq/config.edn": "{:meta/version 1}",
    "logseq/bak/pages/Old.md": "- old",
    "pages/garden___Roses.md": (
        "tags:: flowers, [[cut flowers]]\nalias:: Rosa\nrating:: 5\npublic:: true\n\n"
        f"- Roses need sun.\n  id:: {BLOCK}\n  collapsed:: true\n\t- Water them\n\t  frequency:: weekly\n"
        "- DONE plant\n- ```\n  TODO:: stays\n  ```\n"
    ),
    "journals/2026_01_31.md": (
        f"- TODO cut the roses #[[cut flowers]]\n  :LOGBOOK:\n  CLOCK: [2026]\n  :END:\n- see (({BLOCK}))"
        f"\n- [sun](((({BLOCK}))))\n- {{{{embed (({BLOCK}))}}}}\n- ((00000000-0000-4000-8000-000000000000))\n"
    )
    .replace("((((", "(((")
    .replace("))))", ")))"),
}
A, B, C, D, E = (letter * 32 for letter in "abcde")
NOTION = {
    f"Home {A}.md": (
        f"# Home\n\nSee [Plan](Home%20{A}/Plan%20{B}.md) and [books](Home%20{A}/Books%20{C}.csv), "
        f"[there](https://www.notion.so/Plan-{B}) and [web](https://example.org/a).\n"
    ),
    f"Home {A}/Plan {B}.md": f"# Plan\n\nNote: this is text.\n\nBack [home](../Home%20{A}.md).\n",
    f"Home {A}/Books {C}.csv": "Name,Read\nDune,Yes\nEmma,\n",
    f"Home {A}/Books {C}_all.csv": "Name,Read\nDune,Yes\nEmma,\nUlysses | x,No\n",
    f"Home {A}/Books {C}/Dune {D}.md": (
        "# Dune\n\nRead: Yes\nTags: science fiction, classic\nCreated: January 31, 2026 10:20 AM\n\nSand.\n"
    ),
}
HEAD = "<html><head><title>x</title><style>p {}</style></head><body><article class='page sans'><header>"
TITLE = "<h1 class='page-title'>"
NOTION_HTML = {
    "index.html": "<ul><li><a href='Home'>Home</a></li></ul>",
    f"Home {A}.html": (
        f"{HEAD}<div class='page-header-icon'><span class='icon'>🌱</span></div>{TITLE}Home</h1></header>"
        f"<div class='page-body'><p>See <a href='Home%20{A}/Plan%20{B}.html'>Plan</a>, "
        f"<a href='https://www.notion.so/Plan-{B}'>there</a>, <a href='javascript:x'>no</a></p>"
        "<div style='display:contents'><ul class='bulleted-list'><li>one<ul><li>two</li></ul></li></ul></div>"
        "<div style='display:contents'><ul class='bulleted-list'><li>three</li></ul></div>"
        "<ol start='2'><li>second</li></ol><ul class='to-do-list'><li><div class='checkbox checkbox-on'></div> "
        "<span>done</span></li></ul><ul class='toggle'><li><details><summary>More</summary><p>Hidden</p></details></li>"
        f"</ul><pre class='code'><code>a  = 1</code></pre><figure class='link-to-page'>"
        f"<a href='Home%20{A}/Books%20{C}.html'>"
        f"<span class='icon'>📄</span>Books</a></figure><figure class='image'><a href='Home%20{A}/leek%20(1).png'>"
        f"<img src='Home%20{A}/leek%20(1).png'/></a></figure><script>bad()</script></div></article></body></html>"
    ),
    f"Home {A}/Plan {B}.html": f"{HEAD}{TITLE}Plan</h1></header><p>Back <a href='../Home%20{A}.html'>home</a></p>",
    f"Home {A}/Books {C}.html": f"{HEAD}{TITLE}Books</h1></header><table><tr><td>Dune</td></tr></table>",
    f"Home {A}/Books {C}.csv": "Name,Read\nDune,Yes\nEmma,\n",
    f"Home {A}/Books {C}/Dune {D}.html": (
        f"{HEAD}{TITLE}Dune</h1><table class='properties'><tbody>"
        "<tr><th><span class='icon property-icon'><svg><path/></svg></span>Read</th><td>"
        "<div class='checkbox checkbox-on'></div></td></tr><tr><th>Tags</th><td>"
        "<span class='selected-value'>science fiction</span><span class='selected-value'>classic</span></td>"
        "</tr><tr><th>Created</th><td>"
        "<time>@January 31, 2026 10:20 AM</time></td></tr></tbody></table></header>"
        "<div class='page-body'><p>Sand.</p></div>"
    ),
    f"Home {A}/Lone {E}.html": (
        f"{HEAD}{TITLE}Lone</h1></header><table class='collection-content'><tr><th>Name</th></tr>"
        f"<tr><td class='cell-title'><a href='Books%20{C}/Dune%20{D}.html'>Dune</a></td></tr></table>"
    ),
}
MD5 = hashlib.md5(b"a picture", usedforsecurity=False).hexdigest()
PICTURE = base64.b64encode(b"a picture").decode()
ENEX = f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export><note><title>Soup / today</title><content><![CDATA[<!DOCTYPE en-note SYSTEM "x"><en-note>
<h2>Leeks</h2><div>Cut <b>them</b> &amp; wash</div><ul><li>one<ul><li>two</li></ul></li></ul>
<div><en-todo checked="true"/>bought</div><table><tr><td>a|b</td><td>c</td></tr></table>
<a href="https://example.org/">web</a><a href="javascript:x">no</a><script>bad()</script>
<en-media type="image/png" hash="{MD5}"/></en-note>]]></content>
<created>20260131T102000Z</created><tag>kitchen garden</tag><note-attributes><author>Ada</author>
<source-url>https://example.org/soup</source-url></note-attributes>
<resource><data encoding="base64">{PICTURE}</data><mime>image/png</mime><resource-attributes>
<file-name>leek.png</file-name></resource-attributes></resource>
<resource><data encoding="base64">{PICTURE}QQ==</data><mime>application/pdf</mime></resource></note>
<note><title>Soup / today</title><content><![CDATA[<en-note>second</en-note>]]></content></note></en-export>"""


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def vault(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as opened:
        opened.bases.add("notes", embedder="tfidf")
        yield opened


def notes(workspace: Workspace) -> dict[str, Note]:
    return {str(note.path): workspace.notes.get(note.id) for note in workspace.notes.all()}


@pytest.mark.parametrize("line", ["\u3000\u3000两字缩进", "  \u3000text", "\u3000", "\xa0text", "    text", "text"])
def test_a_line_of_logseq_keeps_its_own_indentation(workspace: Workspace, tmp_path: Path, line: str) -> None:
    text = f"- block\n{line}\n- end\n"
    graph = vault(tmp_path / "graph", {"logseq/config.edn": "{}", "pages/a.md": text})
    workspace.imports.apply(workspace.imports.plan_folder(graph, "notes"))
    assert notes(workspace)["pages/a.md"].body == text


def test_a_graph_of_logseq_is_read_where_it_lies_and_synced(workspace: Workspace, tmp_path: Path) -> None:
    graph = vault(tmp_path / "graph", LOGSEQ)
    plan = workspace.imports.plan_folder(graph, "notes")
    assert plan.importer == "Logseq"
    assert ("logseq/bak/", "This is a Logseq backup.") in [(one.path, str(one.error)) for one in plan.left_out]
    workspace.imports.apply(plan)
    roses, day = (notes(workspace)[path] for path in ("pages/garden___Roses.md", "journals/2026_01_31.md"))
    assert (roses.title, roses.tags) == ("garden/Roses", ("cut-flowers", "flowers"))
    assert roses.extra == {"aliases": ["Rosa"], "rating": 5, "public": True}
    assert roses.body == (
        f"- Roses need sun. ^{BLOCK}\n  - Water them\n    frequency: weekly\n- [x] plant\n"
        "- ```\n  TODO:: stays\n  ```\n"
    )
    assert (day.title, str(day.created_at)[:10], day.extra["aliases"]) == (
        "2026-01-31",
        "2026-01-31",
        ["Jan 31st, 2026"],
    )
    link = f"pages/garden___Roses#^{BLOCK}"
    assert day.body == (
        f"- [ ] cut the roses [[cut flowers]]\n- see [[{link}|Roses need sun.]]\n- [[{link}|sun]]\n- ![[{link}]]\n"
        "- ((00000000-0000-4000-8000-000000000000))\n"
    )
    assert workspace.notes.links().target(day, day.links[1]) == roses.id
    assert not roses.in_text_file
    assert workspace.imports.plan_folder(graph, "notes").is_empty
    (graph / "journals/2026_01_31.md").write_text("- rain", "utf-8")
    workspace.imports.apply(workspace.imports.plan_folder(graph, "notes"))
    assert notes(workspace)["journals/2026_01_31.md"].body == "- rain\n"


def test_an_export_of_notion_in_a_zip_in_a_zip_has_names_without_ids(workspace: Workspace) -> None:
    data = zipped({"Export-Part-1.zip": zipped(NOTION)})
    plan = workspace.imports.plan_upload([("Export.zip", data)], "notes")
    assert plan.importer == "Notion"
    workspace.imports.apply(plan)
    made = notes(workspace)
    assert sorted(made) == ["Home.md", "Home/Books.md", "Home/Books/Dune.md", "Home/Plan.md"]
    assert made["Home.md"].body == (
        "# Home\n\nSee [Plan](Home/Plan.md) and [books](Home/Books.md), [there](Home/Plan.md) and "
        "[web](https://example.org/a).\n"
    )
    assert made["Home/Plan.md"].body == "# Plan\n\nNote: this is text.\n\nBack [home](../Home.md).\n"
    assert made["Home/Books.md"].body == (
        "# Books\n\n| Name | Read |\n|---|---|\n| [Dune](Books/Dune.md) | Yes |\n| Emma |  |\n| Ulysses \\| x | No |\n"
    )
    dune = made["Home/Books/Dune.md"]
    assert (dune.body, dune.tags, dune.extra) == ("# Dune\n\nSand.\n", ("classic", "science-fiction"), {"Read": True})
    assert str(dune.created_at)[:10] == "2026-01-31"


def test_a_cell_that_is_too_long_in_a_table_of_notion_is_reported(workspace: Workspace) -> None:
    files = NOTION | {f"Home {A}/Books {C}_all.csv": f"Name\n{'x' * 140_000}\n"}
    plan = workspace.imports.plan_upload([("Export.zip", zipped({"Export-Part-1.zip": zipped(files)}))], "notes")
    assert [str(failed.error) for failed in plan.failed] == [
        "A cell in this table is too long to be read. Shorten it in Notion, then export it again."
    ]


def test_an_export_of_notion_in_html_is_read_as_one_in_markdown(workspace: Workspace) -> None:
    data = zipped({"Export-Part-1.zip": zipped(NOTION_HTML)})
    plan = workspace.imports.plan_upload([("Export.zip", data)], "notes")
    assert (plan.importer, plan.failed) == ("Notion", ())
    workspace.imports.apply(plan)
    made = notes(workspace)
    assert sorted(made) == ["Home.md", "Home/Books.md", "Home/Books/Dune.md", "Home/Lone.md", "Home/Plan.md"]
    assert made["Home.md"].body == (
        "# Home\n\nSee [Plan](Home/Plan.md), [there](Home/Plan.md), no\n\n- one\n  - two\n- three\n2. second\n"
        "- [x] done\n- More\n  Hidden\n\n```\na  = 1\n```\n\n[Books](Home/Books.md)\n\n"
        f"![](Home%20{A}/leek%20%281%29.png)\n"
    )
    assert made["Home/Plan.md"].body == "# Plan\n\nBack [home](../Home.md)\n"
    assert made["Home/Books.md"].body == (
        "# Books\n\n| Name | Read |\n|---|---|\n| [Dune](Books/Dune.md) | Yes |\n| Emma |  |\n"
    )
    assert made["Home/Lone.md"].body == "# Lone\n\n| Name |\n|---|\n| [Dune](Books/Dune.md) |\n"
    dune = made["Home/Books/Dune.md"]
    assert (dune.body, dune.tags, dune.extra) == ("# Dune\n\nSand.\n", ("classic", "science-fiction"), {"Read": True})
    assert str(dune.created_at)[:10] == "2026-01-31"
    assert workspace.notes.links().target(made["Home.md"], made["Home.md"].links[0]) == made["Home/Plan.md"].id


def test_an_export_of_notion_in_a_folder_is_imported_like_an_upload(workspace: Workspace, tmp_path: Path) -> None:
    plan = workspace.imports.plan_folder(vault(tmp_path / "export", NOTION), "notes")
    assert (plan.importer, len(plan.added), plan.source_ref) == ("Notion", 4, "upload")
    workspace.imports.discard(plan)
    assert not plan.folder.exists()
    assert (tmp_path / "export" / f"Home {A}.md").exists()


def test_an_export_of_evernote_keeps_dates_tags_and_the_names_of_files(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "Kitchen.enex"
    file.write_text(ENEX, "utf-8")
    assert workspace.imports.target(file, None)[0] == "Kitchen"
    plan = workspace.imports.plan_folder(file, "notes")
    assert plan.importer == "Evernote"
    workspace.imports.apply(plan)
    made = notes(workspace)
    assert sorted(made) == ["Kitchen/Soup today 2.md", "Kitchen/Soup today.md"]
    soup = made["Kitchen/Soup today.md"]
    assert (soup.title, soup.tags, soup.source_url) == ("Soup / today", ("kitchen-garden",), "https://example.org/soup")
    assert str(soup.created_at) == "2026-01-31 10:20:00+00:00"
    assert [line for line in soup.body.split("\n") if line] == [
        *("## Leeks", "Cut **them** & wash", "- one", "  - two", "- [x] bought", "| a\\|b | c |", "|---|---|"),
        *("[web](https://example.org/)no ![[leek.png]]", "- [[file-2.pdf]]"),
    ]
    assert workspace.attachments.missing(soup) == ("leek.png", "file-2.pdf")


HOSTILE = {
    "entities": '<!DOCTYPE en-export [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><en-export>&c;</en-export>',
    "file": '<!DOCTYPE en-export [<!ENTITY a SYSTEM "file:///etc/hostname">]><en-export><note/></en-export>',
    "deep": "<en-export>" + "<note>" * 1000,
    "cut": ENEX[:400],
    "other": "<html><note/></html>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_export_of_evernote_is_refused_with_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.enex").write_text(HOSTILE[name], "utf-8")
    importer = importer_of(tmp_path)
    assert importer
    (failed,) = importer.notes()
    assert isinstance(failed, Failed)
    assert str(failed.error).endswith((".", "refused."))


UNREADABLE = {
    "damaged": (ENEX[:400], "Home.enex: This Evernote export is damaged at line"),
    "empty": ("", "Home.enex: This Evernote export is damaged at line 1. Export the notes again."),
    "without notes": ("<en-export></en-export>", "Home.enex: This is an Evernote export without notes."),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_an_export_without_a_readable_note_is_refused_by_its_own_name(
    workspace: Workspace, tmp_path: Path, kind: str
) -> None:
    text, told = UNREADABLE[kind]
    file = vault(tmp_path / "folder", {"Home.enex": text}) / "Home.enex"
    workspace.set_program_access(True)

    def sent(data: bytes, name: str) -> str:
        given = {"data": {"base": "notes"}, "files": [("file", (name, data))]}
        answer = connected(workspace).post(f"{PLACE}/knowledge/upload", **given)
        assert answer.status_code == 422
        return str(answer.json()["detail"])

    def refused(place: Path) -> str:
        with pytest.raises(SourceError) as error:
            workspace.imports.plan_folder(place, "notes")
        return str(error.value)

    said = [refused(file), refused(file.parent)]
    said += [sent(text.encode(), "Home.enex"), sent(zipped({"Home.enex": text}), "all.zip")]
    assert all(one.startswith(told) for one in said), said
    workspace.close()
    arguments = ["import", str(file), "--base", "notes", "--workspace", str(workspace.store.folder)]
    assert str(CliRunner().invoke(cli.app, arguments).exception).startswith(told)


def test_a_notebook_without_notes_is_named_beside_others(workspace: Workspace, tmp_path: Path) -> None:
    folder = vault(tmp_path / "folder", {"A.enex": ENEX, "B.enex": "<en-export/>"})
    plan = workspace.imports.plan_folder(folder, "notes")
    assert ("B.enex", "This is an Evernote export without notes.") in [
        (one.path, str(one.error)) for one in (*plan.failed, *plan.skipped)
    ]
    assert plan.added
    workspace.imports.discard(plan)


def test_names_that_lead_out_and_bombs_in_an_inner_archive_are_refused(workspace: Workspace) -> None:
    inner = {"../../evil.md": "x", f"a {A}.md": "x"}
    with pytest.raises(SourceError, match="could point outside"):
        workspace.imports.plan_upload([("a.zip", zipped({"b.zip": zipped(inner)}))], "notes")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", b"0" * 40_000_000)
    with pytest.raises(SourceError, match="far more data than notes"):
        workspace.imports.plan_upload([("a.zip", zipped({"b.zip": stream.getvalue()}))], "notes")


@pytest.mark.parametrize("name", IMPORTERS)
def test_no_importer_knows_a_plain_folder_or_reads_outside_of_its_own(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.md").write_text("secret", "utf-8")
    plain = vault(tmp_path / "plain", {"a.md": "- id:: x", "b.csv": "a,b", "logseq.md": "x"})
    (plain / "link.md").symlink_to(tmp_path / "secret.md")
    importer = IMPORTERS.make(name, plain)
    assert not importer.knows
    assert not IMPORTERS.make(name, tmp_path / "nowhere").knows
    read = [one for one in importer.notes() if isinstance(one, Imported)]
    assert "secret" not in "".join(one.text for one in read)
    assert [*importer.notes()] == [*importer.notes()]
    if importer.keeps_files:
        (failed,) = importer.notes(["../secret.md"])
        assert isinstance(failed, Failed)
