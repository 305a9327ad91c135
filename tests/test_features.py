"""A feature can be deleted: its folder, its line in FEATURES, its service, its commands; all else works on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DELETABLE = ("learning", "packs", "related")
"""Features whose folder nothing of the rest needs."""


def test_the_program_works_without_them(tmp_path: Path) -> None:
    settings = {
        "EMBEDDER": "tfidf",
        "INDEX__KIND": "none",
        "SEARCH__RERANKER": "none",
        "WORKSPACE": str(tmp_path / "workspace"),
    }
    environment = os.environ | {f"TESSERA_{name}": value for name, value in settings.items()}
    command = [sys.executable, "-m", "tests.without_feature", str(tmp_path), *DELETABLE]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("feature", DELETABLE)
def test_only_its_service_and_its_commands_name_it(feature: str) -> None:
    package = f"core.features.{feature}"
    files = [*(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    others = [file for file in files if ROOT / "core" / "features" / feature not in file.parents]
    named = [str(file.relative_to(ROOT)) for file in others if package in file.read_text(encoding="utf-8")]
    commands = f"core/doors/cli/{feature}.py"
    assert [name for name in named if name != commands] == ["core/workspace/services.py"]
