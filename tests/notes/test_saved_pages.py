"""Pages of the web that a browser sends: their texts, pictures, addresses, and what is refused."""

import base64
from pathlib import Path

import pytest

from core.base.errors import EditError, SourceError, TesseraError
from core.workspace import Workspace

ADDRESS = "https://example.org/boots?a=1"
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n picture").decode()
FIRST, SECOND = "1a2b3c4d5e6f7g8h0x", "1a2b3c4d5e6f7g8h1x"


def test_a_page_waits_in_the_base_web_whatever_bases_there_are(workspace: Workspace) -> None:
    workspace.notes.add("home", "Text", embed=False)
    note = workspace.proposals.add_page(
        "web",
        "<html><head><title>Boots &amp; rain</title></head><body>"
        f"<p>Keep <b>dry</b> {FIRST}a [pair]{FIRST}, <a href='/c'>{SECOND}b{SECOND}</a></p></body></html>",
        address=ADDRESS,
        pictures={FIRST: PNG, SECOND: PNG, "0" * 16: PNG},
    )
    assert workspace.bases.by_id(note.base_id).name == "web"
    assert (note.title, note.status, note.source, note.source_url) == ("Boots & rain", "pending", "import", ADDRESS)
    path = "attachments/Boots-rain-a44fd144.png"
    assert note.body == f"Keep **dry** ![a \\[pair\\]]({path}), [![b]({path})](/c)\n"
    assert (found := workspace.attachments.find(note.id, path))
    assert found.type == "image/png"
    assert workspace.notes.get(note.id).source_url == ADDRESS
    assert ADDRESS in workspace.files.text(note.id)


@pytest.mark.parametrize("charset", ["gb2312", "windows-1252", "utf-16", "x-none"])
def test_a_page_is_read_as_it_was_sent_whatever_encoding_it_names(workspace: Workspace, charset: str) -> None:
    html = f"<head><meta charset='{charset}'></head><body><p>靴子放在门口 é \ud83e</p></body>"
    assert workspace.proposals.add_page("web", html, address=ADDRESS).body == "靴子放在门口 é ?\n"


def test_a_base_that_trusts_programs_takes_pages_at_once(workspace: Workspace) -> None:
    workspace.bases.add("web", trusts_programs=True)
    note = workspace.proposals.add_page("web", "<p>a</p>", address=ADDRESS)
    assert (note.status, note.title) == ("active", "example.org")


def test_pictures_go_into_a_folder_of_the_user_only_where_its_base_trusts_programs(
    workspace: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("A")
    workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "vault", "vault"), embed=False)
    workspace.bases.update("vault", write_files=True)
    for trusts in (False, True):
        workspace.bases.update("vault", trusts_programs=trusts)
        note = workspace.proposals.add_page("vault", f"<p>{FIRST}a{FIRST}</p>", address=ADDRESS, pictures={FIRST: PNG})
        assert any((tmp_path / "vault").rglob("*.png")) == trusts
        assert not workspace.attachments.missing(note)


@pytest.mark.parametrize("address", ["javascript:alert(1)", "file:///etc/passwd", "example.org"])
def test_no_program_gives_a_note_an_address_that_is_not_of_the_web(workspace: Workspace, address: str) -> None:
    with pytest.raises(EditError, match="a web address"):
        workspace.notes.add("home", "Text", source_url=address, embed=False)


@pytest.mark.parametrize(
    ("html", "address", "pictures", "error"),
    [
        ("<p>a</p>", "javascript:alert(1)", {}, SourceError),
        ("<p>a</p>", "file:///etc/passwd", {}, SourceError),
        ("<p>a</p>", "https://ada:secret@example.org", {}, SourceError),
        ("<p>a</p>", f"https://example.org/{'a' * 600}", {}, EditError),
        ("<script>a</script>", ADDRESS, {}, SourceError),
        ("", ADDRESS, {}, SourceError),
        (f"<p>{FIRST}a{FIRST}</p>", ADDRESS, {FIRST: "%%%"}, EditError),
        (f"<p>{FIRST}a{FIRST}</p>", ADDRESS, {FIRST: base64.b64encode(b"<svg/>").decode()}, EditError),
        ("<p>a</p>", ADDRESS, {"(a+)+": PNG}, EditError),
        (f"<p>{FIRST}a{FIRST}</p>", f"https://example.org/{'a' * 600}", {FIRST: PNG}, EditError),
        (f"<p>{FIRST}a{FIRST}</p>", ADDRESS, {FIRST: PNG, SECOND: "%%%"}, EditError),
        (f"<p>{FIRST}a{FIRST}</p>", ADDRESS, {FIRST: PNG, "short": PNG}, EditError),
    ],
)
def test_what_is_refused_leaves_nothing(
    workspace: Workspace, html: str, address: str, pictures: dict[str, str], error: type[TesseraError]
) -> None:
    with pytest.raises(error):
        workspace.proposals.add_page("web", html, address=address, pictures=pictures)
    assert workspace.notes.all() == []
    assert not any((workspace.store.folder / "files").rglob("*.*"))
