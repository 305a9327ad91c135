"""The guide as notes: in step with docs/guide.md, in both languages; `benchmarks.guide` asks what people ask."""

from pathlib import Path

import numpy as np
import pytest

from core import embedding
from core.base.text import digest
from core.embedding import shipped
from core.features.packs import manifest
from tests import guide_pack


def test_the_english_notes_are_those_of_the_guide() -> None:
    assert guide_pack.stale() == []


def test_every_note_is_there_in_chinese_too_with_the_same_commands_and_settings() -> None:
    assert guide_pack.lacking() == []


def test_a_section_without_its_chinese_note_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = tmp_path / "guide.md"
    guide.write_text(guide_pack.GUIDE.read_text(encoding="utf-8") + "\n## Reading\n\nA note opens.\n", encoding="utf-8")
    monkeypatch.setattr(guide_pack, "GUIDE", guide)
    assert "guide/reading.md differs from docs/guide.md: run python -m tests.guide_pack" in guide_pack.stale()
    assert "write guide-zh/reading.md, the Chinese of guide/reading.md" in guide_pack.lacking()


def test_the_passages_of_both_guides_have_vectors_of_the_built_in_model() -> None:
    keys = {digest(text) for text in guide_pack.passages()}
    found = shipped.find(embedding.build("bundled").fingerprint, keys, shipped.GUIDE)
    assert found, "run python -m tests.guide_pack"
    assert {*found.keys} == keys, "run python -m tests.guide_pack"
    assert np.allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=0.01)


@pytest.mark.parametrize("name", ["guide", "guide-zh"])
def test_the_guide_has_the_version_of_the_program(name: str) -> None:
    pack, notes = manifest.read_pack(guide_pack.PACK.with_name(name))
    project = (guide_pack.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{pack.version}"' in project
    assert len(notes) >= 20
