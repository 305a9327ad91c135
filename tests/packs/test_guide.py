"""The guide as notes: in step with docs/guide.md, in both languages, and asked for what people ask."""

import json
import re
from pathlib import Path

import pytest

from core.packs import contents
from core.workspace import Workspace
from tests import guide_pack

QUESTIONS = guide_pack.ROOT / "data" / "questions"
_CODE = re.compile(r"`(tessera [a-z]+(?: [a-z]+)?|--[a-z-]+|TESSERA_[A-Z_]+|[a-z]+_[a-z_]+)")


def test_the_english_notes_are_those_of_the_guide() -> None:
    stored = {
        file.relative_to(guide_pack.PACK).as_posix(): file.read_text(encoding="utf-8")
        for file in guide_pack.PACK.rglob("*.md")
    }
    assert stored == guide_pack.notes(), "run python -m tests.guide_pack"


def test_every_note_is_there_in_chinese_too_with_the_same_commands_and_settings() -> None:
    for path, text in guide_pack.notes().items():
        chinese = (guide_pack.CHINESE / path).read_text(encoding="utf-8")
        missing = {code for code in _CODE.findall(text) if code not in chinese}
        assert missing == set(), path
        assert re.search(r"[一-鿿]", chinese.splitlines()[0])
    paths = {file.relative_to(guide_pack.CHINESE).as_posix() for file in guide_pack.CHINESE.rglob("*.md")}
    assert paths == guide_pack.notes().keys()


@pytest.mark.parametrize("name", ["guide", "guide-zh"])
def test_the_guide_has_the_version_of_the_program(name: str) -> None:
    pack, notes = contents.read(guide_pack.PACK.with_name(name))
    project = (guide_pack.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{pack.version}"' in project
    assert len(notes) >= 20


@pytest.mark.usefixtures("bundled")
@pytest.mark.parametrize("name", ["guide", "guide-zh"])
def test_the_right_note_is_among_the_first_five(tmp_path: Path, name: str) -> None:
    rows = [json.loads(line) for line in (QUESTIONS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 20
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.packs.install(name)
        base = workspace.packs.installed()[0].base
        missed = []
        for row in rows:
            hits = workspace.search(row["question"], bases=[base], limit=5).hits
            if row["gold"][0]["path"] not in [hit.note.path for hit in hits]:
                missed.append(row["question"])
    assert len(missed) <= 2, missed
