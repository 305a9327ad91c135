"""The layers hold, and starting costs nothing that the first page doesn't need."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_layers_hold() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_starting_imports_no_model_and_no_index() -> None:
    code = (
        "import sys; import core.workspace, core.cli; "
        "print(sorted({name.partition('.')[0] for name in sys.modules} "
        "& {'torch', 'chromadb', 'sentence_transformers', 'transformers', 'pandas', 'streamlit', 'langchain_core'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_pages_talk_to_the_workspace_only() -> None:
    allowed = ("core.workspace", "core.model", "core.errors")
    for page in [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]:
        for line in page.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if words[:1] in (["import"], ["from"]) and len(words) > 1 and words[1].startswith("core"):
                assert words[1] in allowed, f"{page.relative_to(ROOT)}: {line}"
