"""Pictures of notes: read once, found with the notes in which they stand, and gone with their files."""

import io
import os
import signal
import struct
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from core.base.errors import ConfigError, EditError, SourceError
from core.documents import converting, process
from core.model import Chunk, Filters
from core.notes import attachments
from core.workspace import Workspace
from tests.waiting import PATIENCE, ManualTime, wait_until

READ = "Irrigation of the greenhouse"
NOTE = "# Plan\n\n## Water\n\nSee the board ![[board.png]] here.\n\n## Later\n\nMore words.\n"


def picture(text: str, *, kind: str = "PNG") -> bytes:
    """Return a picture with a text in large letters."""
    image = Image.new("RGB", (900, 120), "white")
    ImageDraw.Draw(image).text((30, 30), text, fill="black", font=ImageFont.load_default(40))
    data = io.BytesIO()
    image.save(data, kind)
    return data.getvalue()


def claiming(width: int, height: int) -> bytes:
    """Return a PNG that says it is so large."""

    def part(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(bytes(9))) + part(b"IEND", b"")


class Reader:
    """What reads pictures: each is read as the text that it says it holds."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.text: Callable[[bytes], str] = lambda data: data.decode().removeprefix("picture of ")

    def __call__(self, _: object, data: bytes, path: str, look: Callable[[], object]) -> tuple[str, str]:
        look()
        self.read.append(path)
        return self.text(data), "a reader"


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    fake = Reader()
    monkeypatch.setattr(converting.PictureReader, "read", lambda *values: fake(*values))
    return fake


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return write(tmp_path / "vault", {"plan.md": NOTE, "board.png": f"picture of {READ}"})


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def sync(workspace: Workspace, folder: Path, base: str = "vault", *, reads: bool = True) -> None:
    """Sync a folder with a base that reads pictures, and read those that are new."""
    if not workspace.bases.find(base):
        workspace.bases.add(base, read_pictures=reads)
    workspace.imports.apply(workspace.imports.plan_folder(folder, base), confirmed=True)
    workspace.pictures.read()


def chunks(workspace: Workspace, base: str = "vault") -> list[Chunk]:
    """Return the chunks of the pictures of a base."""
    cards = workspace.notes.all(Filters(bases=(base,)))
    every = [workspace.chunks.all(card.id) for card in cards]
    for one in every:
        assert [chunk.index for chunk in one] == [*range(len(one))]
        assert {chunk.total for chunk in one} <= {len(one)}
    return [chunk for one in every for chunk in one if chunk.picture]


def found(workspace: Workspace, text: str = "irrigation") -> list[tuple[str, str]]:
    result = workspace.search(text, mode="keyword")
    return [(hit.note.path or "", hit.chunk.picture) for hit in result.hits]


def generations(workspace: Workspace) -> dict[str, int]:
    return {card.id: workspace.store.notes.generation(card.id) for card in workspace.notes.all()}


def test_words_in_a_picture_find_the_note_in_which_it_stands(workspace: Workspace, tmp_path: Path) -> None:
    """With what reads pictures as it is, in its process."""
    sync(workspace, write(tmp_path / "vault", {"plan.md": NOTE, "board.png": picture(READ, kind="JPEG")}))
    (hit,) = workspace.search("irrigation greenhouse", mode="keyword").hits
    assert (hit.note.path, hit.chunk.picture, hit.chunk.text) == ("plan.md", "board.png", READ)
    assert hit.chunk.section == ("Plan", "Water")
    assert NOTE[: hit.chunk.start].endswith("![[board.png]]")
    assert hit.chunk.state == "embedded"


def test_the_text_of_a_picture_is_a_chunk_where_it_stands(workspace: Workspace, vault: Path, reader: Reader) -> None:
    sync(workspace, vault)
    assert found(workspace) == [("plan.md", "board.png")]
    (hit,) = workspace.search("irrigation", mode="keyword", expansion_size=1).hits
    assert READ in hit.passage.text
    assert "See the board" in hit.passage.text
    assert [one.chunk.picture for one in workspace.search("has:image irrigation", mode="keyword").hits] == ["board.png"]
    assert not workspace.search("-has:image irrigation", mode="keyword").hits
    context = workspace.context("irrigation", mode="keyword")
    assert READ in context.text
    assert [one.picture for one in context.citations if one.picture] == ["board.png"]


def test_each_way_to_show_a_picture_counts_and_a_link_to_one_does_not(
    workspace: Workspace, tmp_path: Path, reader: Reader
) -> None:
    body = (
        "![[sub/wiki.png|300]] ![alt](inline.jpg) ![a title](spaced%20name.webp 'title') ![x](<angle one.gif>)"
        " ![label][ref] [[linked.png]] [text](linked.png) `![[code.png]]` ![far](https://example.org/far.png)"
        " ![out](../outside.png)\n\n```\n![[fence.png]]\n```\n\n[ref]: below.tiff\n"
    )
    shown = ["sub/wiki.png", "inline.jpg", "spaced name.webp", "angle one.gif", "below.tiff"]
    others = ["linked.png", "code.png", "fence.png", "../outside.png"]
    sync(workspace, write(tmp_path / "v", {"a.md": body, **{name: f"picture of {name}" for name in shown + others}}))
    assert sorted(reader.read) == sorted(shown)
    assert [chunk.picture for chunk in chunks(workspace)] == shown


def test_a_file_is_read_once_for_all_notes_and_bases(workspace: Workspace, tmp_path: Path, reader: Reader) -> None:
    notes = {f"{number}.md": f"# Note {number}\n\n![[board.png]]\n" for number in range(10)}
    for name in ("one", "two"):
        sync(workspace, write(tmp_path / name, {**notes, "board.png": "picture of irrigation"}), name)
        assert len(chunks(workspace, name)) == 10
    sync(
        workspace, write(tmp_path / "two", {"again.md": "![](./copy.png)", "copy.png": "picture of irrigation"}), "two"
    )
    assert reader.read == ["board.png"]
    assert len(chunks(workspace, "two")) == 11


def test_a_second_start_reads_and_cuts_nothing(workspace: Workspace, tmp_path: Path, reader: Reader) -> None:
    """Of pictures with text, without any, missing ones, and of a note that can't be cut again."""
    texts = {"some.png": "picture of irrigation", "none.png": "picture of "}
    body = "![[some.png]] ![[none.png]] ![[missing.png]] ![[some.png]] ![](some.png)\n"
    sync(workspace, write(tmp_path / "v", {"a.md": body, "b.md": "![[none.png]]", **texts}))
    assert reader.read == ["some.png", "none.png"]
    before = generations(workspace)
    for _ in range(3):
        assert workspace.pictures.read() == 0
        assert workspace.pictures.start()
        assert workspace.jobs.wait("pictures").state == "done"  # type: ignore[union-attr]
    assert (reader.read, generations(workspace)) == (["some.png", "none.png"], before)
    assert workspace.store.pictures.unplaced() == []


def test_a_note_that_cannot_be_cut_is_tried_once(
    workspace: Workspace, vault: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.indexing.cutter import Cutter

    tries = []

    def fails(_: Cutter, note_id: str, *__: object) -> None:
        tries.append(note_id)
        raise SourceError("plan.md", "is too large.")

    workspace.bases.add("vault", read_pictures=True)
    workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"))
    monkeypatch.setattr(Cutter, "recut", fails)
    for _ in range(3):
        workspace.pictures.read()
    assert len(tries) == 1


def test_a_switch_reads_and_removes_at_once(workspace: Workspace, vault: Path, reader: Reader) -> None:
    workspace.bases.add("vault")
    workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"))
    assert not workspace.pictures.start()
    assert (workspace.pictures.read(), reader.read, chunks(workspace)) == (0, [], [])
    workspace.bases.update("vault", read_pictures=True)
    assert workspace.jobs.wait("pictures").result == 1  # type: ignore[union-attr]
    assert found(workspace) == [("plan.md", "board.png")]
    workspace.bases.update("vault", read_pictures=False)
    assert (found(workspace), chunks(workspace)) == ([], [])
    (left,) = workspace.chunks.all(workspace.notes.all()[0].id)
    assert left.text.startswith("# Plan")
    workspace.bases.update("vault", read_pictures=True)
    workspace.jobs.wait("pictures")
    assert found(workspace) == [("plan.md", "board.png")]
    assert reader.read == ["board.png"]


def test_a_changed_file_is_read_again_and_a_deleted_one_is_found_no_longer(
    workspace: Workspace, vault: Path, reader: Reader
) -> None:
    sync(workspace, vault)
    write(vault, {"board.png": "picture of drainage"})
    sync(workspace, vault)
    assert (found(workspace), found(workspace, "drainage")) == ([], [("plan.md", "board.png")])
    os.utime(vault / "board.png", (1, 1))
    sync(workspace, vault)
    assert reader.read == ["board.png", "board.png"]
    (vault / "board.png").unlink()
    sync(workspace, vault)
    assert (found(workspace, "drainage"), chunks(workspace)) == ([], [])


def test_a_picture_of_a_watched_folder_is_read_again_though_its_note_stays(
    workspace: Workspace, vault: Path, reader: Reader
) -> None:
    sync(workspace, vault)
    workspace.index_in_background()
    workspace.bases.update("vault", watch=True)
    write(vault, {"board.png": "picture of drainage"})
    workspace.watching.look()
    workspace.jobs.wait("pictures")
    assert found(workspace, "drainage") == [("plan.md", "board.png")]


def test_a_folder_that_is_away_takes_nothing(workspace: Workspace, vault: Path, reader: Reader) -> None:
    sync(workspace, vault)
    vault.rename(vault.with_name("elsewhere"))
    workspace.pictures.read()
    assert found(workspace) == [("plan.md", "board.png")]


def test_a_note_that_is_edited_or_renamed_keeps_its_pictures(workspace: Workspace, vault: Path, reader: Reader) -> None:
    sync(workspace, vault)
    write(vault, {"plan.md": NOTE.replace("# Plan", "# Plan\n\nA new first passage.").replace("Water", "Pipes")})
    workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"))
    (chunk,) = chunks(workspace)
    assert chunk.section == ("Plan", "Pipes")
    (vault / "plan.md").rename(vault / "moved.md")
    sync(workspace, vault)
    assert found(workspace) == [("moved.md", "board.png")]
    workspace.chunks.rechunk("vault")
    (note,) = workspace.notes.all()
    workspace.notes.update(note.id, tags=["garden"])
    (first, *_) = workspace.chunks.all(note.id)
    workspace.chunks.update(first.id, "What a person wrote over it.")
    assert found(workspace) == [("moved.md", "board.png")]
    assert reader.read == ["board.png"]


def test_a_persons_edits_leave_the_text_of_pictures_alone(workspace: Workspace, tmp_path: Path, reader: Reader) -> None:
    body = "First passage with words ![[board.png]].\n\nSecond passage.\n"
    workspace.bases.add("vault", read_pictures=True)
    sync(workspace, write(tmp_path / "v", {"a.md": body, "board.png": "picture of irrigation"}))
    (note,), (chunk,) = workspace.notes.all(), chunks(workspace)
    for act in (
        lambda: workspace.chunks.update(chunk.id, "Other words."),
        lambda: workspace.chunks.delete(chunk.id),
        lambda: workspace.chunks.split(chunk.id, 3),
        lambda: workspace.chunks.merge(workspace.chunks.all(note.id)[0].id, chunk.id),
    ):
        with pytest.raises(EditError, match=r"comes from the picture board\.png"):
            act()
    hidden = workspace.chunks.delete(workspace.chunks.all(note.id)[0].id)
    assert (found(workspace), chunks(workspace)) == ([], [])
    workspace.chunks.restore(hidden)
    assert found(workspace) == [("a.md", "board.png")]


def test_a_picture_without_text_adds_nothing_and_is_no_problem(
    workspace: Workspace, vault: Path, reader: Reader
) -> None:
    reader.text = lambda _: ""
    sync(workspace, vault)
    (note,) = workspace.notes.all()
    assert (chunks(workspace), workspace.pictures.problems(note.id)) == ([], [])
    assert workspace.attachments.missing(workspace.notes.get(note.id)) == ()


@pytest.mark.parametrize(
    ("text", "counts"), [("一", False), ("O 口\n", False), ("", False), ("浇水", True), ("a plan", True)]
)
def test_a_sign_by_itself_is_no_text(text: str, counts: bool) -> None:
    assert converting.holds_words(text) == counts


def test_hostile_pictures_are_refused_each_with_its_reason(workspace: Workspace, tmp_path: Path) -> None:
    """By what reads pictures as it is; nothing hangs, and nothing outside of the folder is read."""
    secret = write(tmp_path / "outside", {"secret.png": picture("secret")})
    files: dict[str, str | bytes] = {
        "huge.png": claiming(50_000, 50_000),
        "cut.png": picture("truncated")[:700],
        "empty.png": b"",
        "text.png": "no picture",
        "program.png": b"MZ\x90",
        "bomb.png": claiming(7_000, 8_000),
    }
    names = [*files, "pipe.png", "link.png", "gone.png"]
    vault = write(tmp_path / "v", {"a.md": "".join(f"![[{name}]]\n" for name in names), **files})
    os.mkfifo(vault / "pipe.png")
    (vault / "link.png").symlink_to(secret / "secret.png")
    sync(workspace, vault)
    (note,) = workspace.notes.all()
    problems = {one.path: str(one.error) for one in workspace.pictures.problems(note.id)}
    assert problems.keys() == files.keys()
    assert problems["huge.png"].startswith(
        "This picture has 50,000 x 50,000 pixels, but the limit is 60 million pixels."
    )
    assert problems["empty.png"] == "This file is empty."
    assert (
        problems["text.png"]
        == problems["program.png"]
        == ("This picture is damaged, or has a format that Tessera can't read. Save it as PNG or JPEG.")
    )
    assert problems["cut.png"].startswith("This file is damaged.")
    assert problems["bomb.png"].startswith("This file is damaged.")
    lost = workspace.attachments.missing(workspace.notes.get(note.id))
    assert lost == ("pipe.png", "link.png", "gone.png")
    assert chunks(workspace) == []


def test_what_could_not_be_read_is_tried_again_where_a_person_says_so(
    workspace: Workspace, vault: Path, reader: Reader
) -> None:
    def fails(_: bytes) -> str:
        raise SourceError(
            "board.png", "This file is damaged. Open it in its own program, save it again, and import it."
        )

    reader.text = fails
    sync(workspace, vault)
    reader.text = lambda _: READ
    assert (workspace.pictures.read(), workspace.pictures.read(again=True)) == (0, 1)
    assert found(workspace) == [("plan.md", "board.png")]


def test_a_picture_whose_reading_was_stopped_is_tried_again_at_the_next_import(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With processes as they are; one that is damaged isn't tried again."""
    notes = {"plan.md": NOTE, "torn.md": "![[torn.png]]"}
    vault = write(tmp_path / "vault", {**notes, "board.png": picture(READ), "torn.png": picture(READ)[:300]})
    killed = (
        sys.executable,
        "-c",
        "import os, signal, sys; sys.stdin.readline(); os.kill(os.getpid(), signal.SIGKILL)",
    )

    def problems() -> dict[str, str]:
        every = [one for note in workspace.notes.all() for one in workspace.pictures.problems(note.id)]
        return {one.path: str(one.error) for one in every}

    with monkeypatch.context() as stopped:
        stopped.setattr(process, "_COMMAND", killed)
        sync(workspace, vault)
    assert all("was stopped (signal 9)" in problems()[name] for name in ("board.png", "torn.png"))
    sync(workspace, vault)
    assert found(workspace) == [("plan.md", "board.png")]
    assert problems()["torn.png"].startswith("This file is damaged.")
    sync(workspace, vault)
    assert (workspace.pictures.read(), [*problems()]) == (0, ["torn.png"])


def test_a_picture_that_took_too_long_is_tried_again(
    workspace: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(vault, {"board.png": picture(READ)})
    with monkeypatch.context() as slow:
        slow.setattr(converting, "_LIMITS", process.Limits(0, 60, 4096, 4096))
        sync(workspace, vault)
    (note,) = workspace.notes.all()
    base = workspace.bases.get("vault")
    (vault / "plan.md").write_text(f"{NOTE}One more.\n")
    assert workspace.imports.apply(workspace.imports.plan_changes(vault, base, {"plan.md"})).changed == 1
    assert "takes longer than" in str(workspace.pictures.problems(note.id)[0].error), "not at each change of a file"
    monkeypatch.setattr(converting.PictureReader, "read", lambda *_: (READ, "a reader"))
    workspace.pictures.read()
    assert found(workspace) == [("plan.md", "board.png")]


def test_reading_waits_for_other_jobs_and_stops_where_a_person_says_so(
    workspace: Workspace, vault: Path, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, clock = threading.Event(), ManualTime()
    monkeypatch.setattr(attachments.time, "sleep", clock.sleep)
    workspace.bases.add("vault", read_pictures=True)
    workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"))
    workspace.jobs.start("doctor", lambda _: go_on.wait(PATIENCE))
    assert workspace.pictures.start()
    wait_until(lambda: len(clock.slept) > 5, lambda _: go_on.wait(0.02))
    assert (workspace.jobs.running("pictures"), reader.read) == (True, [])
    go_on.set()
    assert workspace.jobs.wait("pictures").result == 1  # type: ignore[union-attr]


def test_where_nothing_reads_pictures_the_command_that_installs_it_is_named(
    workspace: Workspace, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.bases.add("vault", read_pictures=True)
    monkeypatch.setattr(converting, "has", lambda _: False)
    workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"))
    assert not workspace.pictures.start()
    for act in (
        workspace.pictures.read,
        lambda: workspace.bases.add("other", read_pictures=True),
        lambda: workspace.bases.update("vault", read_pictures=True),
    ):
        with pytest.raises(ConfigError, match=r"pip install 'tessera-notes\[ocr\]'"):
            act()
    assert not workspace.bases.update("vault", read_pictures=False).read_pictures


def test_a_base_of_an_archive_reads_no_pictures_until_a_person_says_so(
    workspace: Workspace, vault: Path, reader: Reader
) -> None:
    sync(workspace, vault)
    for form in ("json", "zip"):
        data = workspace.archives.exported("vault", form)
        restored = workspace.archives.restore_data(data, f"vault.{form}", f"from {form}")
        assert restored.powers.switches == (("read_pictures",) if form == "zip" else ())
        assert (restored.base.read_pictures, chunks(workspace, f"from {form}")) == (False, [])
    workspace.bases.delete("vault")
    assert workspace.archives.restore_deleted("vault").base.read_pictures
    workspace.pictures.read()
    assert ("plan.md", "board.png") in found(workspace)


def test_another_process_finds_what_was_read_and_reads_nothing(
    workspace: Workspace, vault: Path, reader: Reader
) -> None:
    sync(workspace, vault)
    with Workspace(workspace.store.folder, readonly=True) as other:
        assert found(other) == [("plan.md", "board.png")]
        assert not other.pictures.start()


def test_a_kill_while_a_picture_is_read_loses_nothing(tmp_path: Path, reader: Reader) -> None:
    vault = write(tmp_path / "vault", {"plan.md": NOTE, "board.png": picture(READ)})
    script = (
        "import sys; from pathlib import Path; from core.workspace import Workspace\n"
        "from core.documents import converting\n"
        "with Workspace(Path(sys.argv[1])) as workspace:\n"
        "    workspace.bases.add('vault', read_pictures=True)\n"
        "    workspace.imports.apply(workspace.imports.plan_folder(Path(sys.argv[2]), 'vault'))\n"
        "    print('ready', flush=True)\n"
        "    workspace.pictures.read(lambda *values: print(*values, flush=True))\n"
    )
    environment = os.environ | {"TESSERA_EMBEDDER": "tfidf"}
    command = [sys.executable, "-c", script, str(tmp_path / "workspace"), str(vault)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "0 1 board.png\n":  # its process reads now
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    with Workspace(tmp_path / "workspace", patience=20) as workspace:
        assert chunks(workspace) == []
        reader.text = lambda _: READ
        assert workspace.pictures.read() == 1
        assert found(workspace) == [("plan.md", "board.png")]
