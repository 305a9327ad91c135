"""The fields of a note stand in one table."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from core.model import NOTE_FIELDS

ROOT = Path(__file__).parents[2]


def test_a_field_more_is_a_line_in_the_table_and_a_column(tmp_path: Path) -> None:
    environment = os.environ | {"TESSERA_EMBEDDER": "tfidf", "TESSERA_INDEX__KIND": "none"}
    command = [sys.executable, "-m", "tests.doors.one_field_more", str(tmp_path / "workspace")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout)
    assert seen.pop("front matter").startswith("---\nmood: serene\n")
    assert seen == {
        "command": "calm",
        "status": 200,
        "read": "serene",
        "hits": ["Tea"],
        "facets": ["serene", "tired"],
        "of another workspace": [["Coffee", "tired"]],
        "base": "again",
        "versions": ["mood"],
    }


def test_few_files_name_all_fields() -> None:
    files = [file for part in ("core", "pages") for file in (ROOT / part).rglob("*.py")]
    naming = {
        str(file.relative_to(ROOT))
        for file in files
        if all(re.search(rf"\b{name}\b", text) for text in [file.read_text(encoding="utf-8")] for name in NOTE_FIELDS)
    }
    migrations = {name for name in naming if name.startswith("core/store/migrations/")}
    assert naming - migrations == {"core/model/note_fields.py"}
