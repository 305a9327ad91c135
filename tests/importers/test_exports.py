"""What exports hold in addition to the text of notes: tasks, boxes, code, words in pictures, folders of the export."""

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.intake.importers.evernote import recognized_words as recognised
from core.model import Note
from core.workspace import Workspace

DATA = b"a picture"
MD5 = hashlib.md5(DATA, usedforsecurity=False).hexdigest()
GROUP = '<div style="--en-task-group:true; --en-id:g1;"><br/></div>'


def task(title: str, *, group: str = "", done: bool = False, more: str = "") -> str:
    status = "completed" if done else "open"
    place = f"<taskGroupNoteLevelID>{group}</taskGroupNoteLevelID>" if group else ""
    head = f"<title>{title}</title><created>20200101T000000Z</created><taskStatus>{status}</taskStatus>"
    return f"<task>{head}{place}{more}</task>"


def enex(*notes: tuple[str, str, str]) -> str:
    """An export of notes: the title, the content and what stands behind it."""
    made = (
        f"<note><title>{a}</title><content><![CDATA[<en-note>{b}</en-note>]]></content>{c}</note>" for a, b, c in notes
    )
    return f"<en-export>{''.join(made)}</en-export>"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with Workspace(tmp_path_factory.mktemp("exports")) as opened:
        yield opened


def imported(workspace: Workspace, file: Path) -> tuple[dict[str, Note], dict[str, str]]:
    """The notes of an export by their paths, and what is told of those that lack something."""
    name = f"base-{len(workspace.bases.all())}"
    workspace.bases.add(name, embedder="tfidf", keep_tokens=False)
    report = workspace.imports.apply(workspace.imports.plan_folder(file, name))
    assert not report.failed
    cards = workspace.notes.all(workspace.searching.filters(bases=[name]))
    return {str(one.path): workspace.notes.get(one.id) for one in cards}, {
        one.path: str(one.error) for one in report.skipped
    }


def test_everything_in_a_note_of_evernote_is_in_its_note_or_named(workspace: Workspace, tmp_path: Path) -> None:
    more = "<description>ask for\n a quote</description>"
    more += "<dueDate>20260331T220000Z</dueDate><timeZone>Europe/Berlin</timeZone>"
    tasks = task("Second", group="g1", more="<sortWeight>C</sortWeight>")
    tasks += task("First", group="g1", done=True, more=f"<sortWeight>B</sortWeight>{more}")
    words = "<item><t w='30'>whit</t><t w='91'>white</t></item><item><t w='90'>board</t></item>"
    words += "<item><t w='20'>lllI</t></item>"
    picture = (
        f"<resource><data encoding='base64'>{base64.b64encode(DATA).decode()}</data><mime>image/png</mime>"
        f"<recognition><![CDATA[<recoIndex>{words}</recoIndex>]]></recognition>"
        "<resource-attributes><file-name>board.png</file-name></resource-attributes></resource>"
    )
    reminder = "<note-attributes><reminder-time>20260401T080000Z</reminder-time></note-attributes>"
    boxes = '<div><en-todo checked="true"/>slate</div><ul><li><en-todo/>marble</li></ul><p>a <en-todo/> b</p>'
    code = '<div style="-en-codeblock: true;"><div>def f():</div><div>\xa0\xa0return 1</div></div>'
    (tmp_path / "Home.enex").write_text(
        enex(
            ("Only tasks", "<div/>", task("Call the plumber")),
            ("Placed", f"<div>Before.</div>{GROUP}<div>After.</div>{GROUP}", tasks),
            ("Boxes", boxes, ""),
            ("Code", f"<div>So:</div>{code}<div>done</div>", ""),
            ("Secret", '<div>Open. <en-crypt hint="the dog">U2Fs</en-crypt></div>', reminder),
            ("Picture", f'<en-media hash="{MD5}" type="image/png"/>', picture),
        ),
        "utf-8",
    )  # fmt: skip
    notes, told = imported(workspace, tmp_path / "Home.enex")
    bodies = {path.removeprefix("Home/"): note.body for path, note in notes.items()}
    assert bodies == {
        "Only tasks.md": "- [ ] Call the plumber\n",
        "Placed.md": ("Before.\n- [x] First 📅 2026-04-01\n  ask for\n  a quote\n- [ ] Second\n\nAfter.\n"),
        "Boxes.md": "- [x] slate\n- [ ] marble\n\na [ ]  b\n",
        "Code.md": "So:\n\n```\ndef f():\n  return 1\n```\n\ndone\n",
        "Secret.md": "Open. [… the dog]\n",
        "Picture.md": "![[board.png]]\n\n> board.png: white board\n",
    }
    assert notes["Home/Only tasks.md"].title == "Only tasks"
    assert "reminder: '2026-04-01T08:00:00Z'" in str(notes["Home/Secret.md"].front)
    assert told == {
        "Home/Secret.md": "1 encrypted passage was not read",
        "Home/Picture.md": "1 attached file was not read",
    }


def test_words_of_several_pictures_of_one_name_are_all_in_the_note(workspace: Workspace, tmp_path: Path) -> None:
    pictures = "".join(
        f"<resource><data>{base64.b64encode(word.encode()).decode()}</data><mime>image/png</mime>"
        f"<recognition><![CDATA[<recoIndex><item><t w='90'>{word}</t></item></recoIndex>]]></recognition>"
        "<resource-attributes><file-name>image.png</file-name></resource-attributes></resource>"
        for word in ("slate", "marble", "slate")
    )
    (tmp_path / "Stones.enex").write_text(enex(("Pictures", "<div>Two.</div>", pictures)), "utf-8")
    notes, _ = imported(workspace, tmp_path / "Stones.enex")
    assert [note.body.partition("\n\n> ")[2] for note in notes.values()] == [
        "image.png: slate\n\n> image.png: marble\n"
    ]


ENTITY = '<!DOCTYPE a [<!ENTITY b "c">]><recoIndex><item><t w="99">&b;</t></item></recoIndex>'


@pytest.mark.parametrize("index", ["", "<recoIndex>", "no xml", ENTITY])
def test_words_of_a_picture_that_cant_be_read_stop_nothing(index: str) -> None:
    assert recognised(index) == ""


def test_the_folder_of_an_export_of_notion_is_no_place_of_its_notes(workspace: Workspace, tmp_path: Path) -> None:
    ids = [letter * 32 for letter in "ab"]
    top = "Export-dd1f2b6e-0b9c-4ea3-8cf1-2e5f0c6b9a10"
    pages = {
        f"{top}/Home {ids[0]}.md": f"# Home\n\nSee [Plan](Home%20{ids[0]}/Plan%20{ids[1]}.md).\n",
        f"{top}/Home {ids[0]}/Plan {ids[1]}.md": "# Plan\n\nText.\n",
    }
    part = io.BytesIO()
    with zipfile.ZipFile(part, "w") as archive:
        for path, text in pages.items():
            archive.writestr(path, text)
    file = tmp_path / f"{top}.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{top}-Part-1.zip", part.getvalue())
    assert workspace.imports.target(file, None)[0] == "Notion"
    notes, _ = imported(workspace, file)
    assert {path: note.body for path, note in notes.items()} == {
        "Home.md": "# Home\n\nSee [Plan](Home/Plan.md).\n",
        "Home/Plan.md": "# Plan\n\nText.\n",
    }
