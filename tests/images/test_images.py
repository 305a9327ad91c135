"""Pictures by what they show: found by a text and by a picture, embedded once, gone with their files."""

import io
from pathlib import Path

import pytest
from PIL import Image

from core.base.errors import ConfigError, QueryError
from core.documents.ocr import MAX_PIXELS
from core.documents.process import ConverterProcess
from core.retrieval import images
from core.workspace import Workspace
from tests.fakes import Colours
from tests.notes.test_pictures import claiming, picture, write

RED, GREEN, BLUE, PURPLE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (200, 0, 100)


def plain(colour: tuple[int, ...], *, kind: str = "PNG", mode: str = "RGB") -> bytes:
    data = io.BytesIO()
    Image.new(mode, (30, 20), colour).save(data, kind)
    return data.getvalue()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    notes: dict[str, str | bytes] = {
        "sunset.md": "# Evening\n\nThe sky ![[red.png]]\n",
        "trip/sea.md": "# The sea\n\nBefore ![wave](img/blue.jpg) and ![[purple.png]]\n",
        "words.md": "# Only words\n\nA red word.\n",
        "red.png": plain(RED),
        "trip/img/blue.jpg": plain(BLUE, kind="JPEG"),
        "purple.png": plain(PURPLE),
    }
    return write(tmp_path / "vault", notes)


def sync(workspace: Workspace, folder: Path, base: str = "vault") -> int:
    """Sync a folder, and look at its pictures."""
    if not workspace.bases.find(base):
        workspace.bases.add(base)
    workspace.imports.apply(workspace.imports.plan_folder(folder, base), confirmed=True)
    return workspace.images.update()


def found(workspace: Workspace, text: str, **options: object) -> list[tuple[str, str]]:
    pictures = workspace.search(text, **options).pictures  # type: ignore[arg-type]
    assert [one.rank for one in pictures] == [*range(1, len(pictures) + 1)]
    return [(one.note.path or "", one.picture) for one in pictures]


def test_a_text_finds_the_pictures_that_show_it_with_their_notes(workspace: Workspace, vault: Path) -> None:
    assert sync(workspace, vault) == 3
    first = ("sunset.md", "red.png"), ("trip/sea.md", "purple.png"), ("trip/sea.md", "trip/img/blue.jpg")
    assert found(workspace, "the photo of something red") == [*first]
    assert found(workspace, "has:image red") == [*first]
    assert found(workspace, "blue 的照片") == [first[2], first[1], first[0]]
    (best, *_) = workspace.search("has:image blue").pictures
    assert workspace.notes.get(best.note.id).body[: best.start].endswith("![wave](img/blue.jpg)")
    assert best.score == pytest.approx(1, abs=0.01)


def test_words_that_ask_for_no_picture_find_none(workspace: Workspace, vault: Path) -> None:
    sync(workspace, vault)
    result = workspace.search("red")
    assert result.hits
    assert not result.pictures
    assert not workspace.search("has:image").pictures, "there is nothing to be near to"


def test_a_picture_finds_others_like_it(workspace: Workspace, vault: Path) -> None:
    sync(workspace, vault)
    assert found(workspace, "like:red.png") == [("trip/sea.md", "purple.png"), ("trip/sea.md", "trip/img/blue.jpg")]
    assert found(workspace, 'has:image like:"Evening"')[0] == ("trip/sea.md", "purple.png")
    assert found(workspace, "like:trip/sea.md") == [("sunset.md", "red.png")], "all that a note shows"
    result = workspace.search("like:red.png")
    assert not result.hits, "it asks for pictures only"
    assert not result.notices
    assert workspace.search("like:red.png word").hits


def test_what_pictures_cannot_be_like_is_said(workspace: Workspace, vault: Path) -> None:
    sync(workspace, vault)
    with pytest.raises(QueryError, match="no picture or note 'nowhere'"):
        workspace.search("like:nowhere")
    with pytest.raises(QueryError, match="no indexed pictures"):
        workspace.search("like:words.md")
    with pytest.raises(QueryError, match="can't be used"):
        workspace.search("red -like:red.png")


def test_filters_narrow_pictures_by_their_notes(workspace: Workspace, vault: Path) -> None:
    sync(workspace, vault)
    assert {path for path, _ in found(workspace, "has:image red path:trip/")} == {"trip/sea.md"}
    assert found(workspace, "has:image red section:Evening") == [("sunset.md", "red.png")]
    assert found(workspace, "has:image red", limit=1) == [("sunset.md", "red.png")]
    workspace.notes.archive([workspace.notes.resolve("sunset.md").id])
    assert {path for path, _ in found(workspace, "has:image red")} == {"trip/sea.md"}


def test_a_hidden_passage_hides_its_pictures(workspace: Workspace, vault: Path) -> None:
    sync(workspace, vault)
    (chunk,) = workspace.chunks.all(workspace.notes.resolve("sunset.md").id)
    workspace.chunks.delete(chunk.id)
    assert ("sunset.md", "red.png") not in found(workspace, "has:image red")


def test_a_picture_is_seen_once(workspace: Workspace, vault: Path, colours: Colours) -> None:
    sync(workspace, vault)
    assert sync(workspace, vault) == 0
    write(vault, {"more.md": "# More\n\n![[copy.png]]\n", "copy.png": plain(RED)})
    assert sync(workspace, vault) == 0, "the same bytes"
    (vault / "sunset.md").rename(vault / "dawn.md")
    write(vault, {"trip/sea.md": "# The sea\n\nChanged, ![wave](img/blue.jpg)\n"})
    assert sync(workspace, vault) == 0
    assert colours.seen == 3
    assert found(workspace, "has:image blue")[0][1] == "trip/img/blue.jpg"
    assert len(found(workspace, "has:image red")) == 2, "each file once; one is in no note any more"


def test_a_changed_picture_is_seen_again_and_a_lost_one_is_gone(workspace: Workspace, vault: Path) -> None:
    sync(workspace, vault)
    write(vault, {"red.png": plain(GREEN)})
    assert sync(workspace, vault) == 1
    assert found(workspace, "has:image green")[0] == ("sunset.md", "red.png")
    (vault / "red.png").unlink()
    sync(workspace, vault)
    assert "red.png" not in dict(found(workspace, "has:image green")).values()
    away = vault.rename(vault.parent / "away")
    workspace.images.update()
    assert len(found(workspace, "has:image green")) == 2, "a folder that is away takes nothing"
    assert away.is_dir()


def test_another_model_sees_all_again(
    workspace: Workspace, vault: Path, colours: Colours, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync(workspace, vault)
    monkeypatch.setattr(colours, "fingerprint", "other colours")
    assert not workspace.search("has:image red").pictures
    assert workspace.images.update() == 3
    assert found(workspace, "has:image red")[0] == ("sunset.md", "red.png")
    assert workspace.store.database.column("SELECT DISTINCT model FROM image_vectors") == ["other colours"]


def test_pictures_outlive_the_index_and_the_process(workspace: Workspace, vault: Path, colours: Colours) -> None:
    sync(workspace, vault)
    workspace.rebuild()
    folder = workspace.store.folder
    workspace.close()
    with Workspace(folder, readonly=True) as again:
        assert found(again, "has:image red")[0] == ("sunset.md", "red.png")
    assert colours.seen == 3


def test_the_job_begins_with_the_others(workspace: Workspace, vault: Path) -> None:
    workspace.bases.add("vault")
    workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"), confirmed=True)
    workspace.start_indexing()
    job = workspace.jobs.wait("images")
    assert job is not None
    assert (job.state, job.result) == ("done", 3)


def test_a_picture_of_a_watched_folder_is_seen_again_though_its_note_stays(workspace: Workspace, vault: Path) -> None:
    sync(workspace, vault)
    workspace.bases.update("vault", watch=True)
    workspace.watching.look()
    workspace.jobs.wait("images")
    write(vault, {"red.png": plain(GREEN)})
    workspace.watching.look()
    workspace.jobs.wait("images")
    assert found(workspace, "has:image green")[0] == ("sunset.md", "red.png")


def test_a_base_by_words_only_shows_no_model_its_pictures(workspace: Workspace, vault: Path, colours: Colours) -> None:
    workspace.bases.add("vault", kind="literal")
    assert sync(workspace, vault) == 0
    assert colours.seen == 0
    assert not workspace.search("has:image red").pictures


def test_a_page_waits_for_no_model(workspace: Workspace, vault: Path) -> None:
    sync(workspace, vault)
    first = workspace.search("has:image red", wait=False)
    assert not first.pictures
    assert "pictures_loading" in first.notices
    workspace.jobs.wait("warm_images")
    assert workspace.search("has:image red", wait=False).pictures


def test_hostile_pictures_are_refused_and_hurt_nothing(workspace: Workspace, vault: Path, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"secret.png": plain(GREEN)})
    names = "bomb.png torn.png text.png empty.png linked.png ../outside/secret.png https://127.0.0.1:9/x.png thin.png"
    write(
        vault,
        {
            "hostile.md": "# Hostile\n\n" + "\n".join(f"![]({name})" for name in names.split()),
            "bomb.png": claiming(100_000, 100_000),
            "torn.png": plain(RED)[:60],
            "text.png": "no picture",
            "empty.png": b"",
            "thin.png": Image.new("RGB", (1, 1)).tobytes(),
        },
    )
    (vault / "linked.png").symlink_to(outside / "secret.png")
    assert sync(workspace, vault) == 3
    status = workspace.images.status()
    assert (status.known, status.waiting) == (3, 0)
    reasons = {one.path: str(one.error) for one in status.failed}
    assert reasons.keys() == {"bomb.png", "torn.png", "text.png", "thin.png", "empty.png"}
    assert f"{MAX_PIXELS // 10**6} million" in reasons["bomb.png"]
    assert not [place for _, place in found(workspace, "has:image green") if "secret" in place]


@pytest.mark.parametrize("size", [(3000, 1), (1, 3000)])
def test_transparent_and_very_long_pictures_are_seen(workspace: Workspace, vault: Path, size: tuple[int, int]) -> None:
    data = io.BytesIO()
    Image.new("RGBA", size, (0, 255, 0, 255)).save(data, "PNG")
    write(vault, {"long.md": "# Long\n\n![[long.png]]", "long.png": data.getvalue()})
    assert sync(workspace, vault) == 4
    assert found(workspace, "has:image green")[0] == ("long.md", "long.png")


def test_a_picture_that_ended_its_process_is_tried_again_when_asked(workspace: Workspace, vault: Path) -> None:
    def ended(*_: object) -> None:
        raise ChildProcessError(-9)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConverterProcess, "convert", ended)
        assert sync(workspace, vault) == 0
    assert sync(workspace, vault) == 0, "nothing is tried for ever"
    assert "was stopped" in str(workspace.images.status().failed[0].error)
    assert workspace.images.update(again=True) == 3


def test_a_note_that_is_a_picture_is_found_too(workspace: Workspace, tmp_path: Path) -> None:
    """A scan, in a folder without notes."""
    pytest.importorskip("rapidocr")
    noise = Image.effect_noise((900, 120), 90).convert("RGB").tobytes()
    page = io.BytesIO(picture("Irrigation of the greenhouse") + noise)
    sync(workspace, write(tmp_path / "scans", {"inbox/page.png": page.getvalue()}), "scans")
    assert found(workspace, "has:image red") == [("inbox/page.png", "inbox/page.png")]


def test_without_a_model_everything_goes_on(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, colours: Colours
) -> None:
    monkeypatch.delenv("TESSERA_PICTURES__MODEL")
    with Workspace(tmp_path / "other") as workspace:
        workspace.bases.add("vault")
        workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"), confirmed=True)
        assert workspace.images.start() is False
        result = workspace.search("has:image sky")
        assert (result.pictures, result.hits[0].note.path) == ((), "sunset.md")
        with pytest.raises(QueryError, match="No model for pictures is set"):
            workspace.search("like:red.png")
        with pytest.raises(ConfigError, match="No model for pictures is set"):
            workspace.images.update()
    monkeypatch.setenv("TESSERA_PICTURES__MODEL", str(tmp_path / "nothing"))
    with Workspace(tmp_path / "other") as workspace:
        assert workspace.search("has:image sky").hits
        workspace.images.start()
        job = workspace.jobs.wait("images")
        assert job is not None
        assert job.error is not None


def test_a_real_model_finds_pictures(
    vault: Path, tmp_path: Path, tiny_clip: Path, monkeypatch: pytest.MonkeyPatch, colours: Colours
) -> None:
    """With random weights the order means nothing, but that a picture is most like itself."""
    monkeypatch.setenv("TESSERA_PICTURES__MODEL", str(tiny_clip))
    write(vault, {"again.md": "# Again\n\n![[again.bmp]]", "again.bmp": plain(RED, kind="BMP")})
    with Workspace(tmp_path / "other") as workspace:
        assert sync(workspace, vault) == 4
        assert len(found(workspace, "the photo of a whiteboard with arrows " + "and more " * 200)) == 4
        (best, *_) = workspace.search("like:red.png").pictures
        assert (best.picture, best.score) == ("again.bmp", pytest.approx(1, abs=0.01))
    assert images.build(str(tiny_clip)).is_here
