"""Pages of the web that a browser sends: their texts, pictures, addresses, and what is refused."""

import base64

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
    ],
)
def test_what_is_refused_leaves_nothing(
    workspace: Workspace, html: str, address: str, pictures: dict[str, str], error: type[TesseraError]
) -> None:
    with pytest.raises(error):
        workspace.proposals.add_page("web", html, address=address, pictures=pictures)
    assert workspace.notes.all() == []
    assert not any((workspace.store.folder / "files").rglob("*.*"))
