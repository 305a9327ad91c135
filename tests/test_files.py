"""The size of a folder in which another process works."""

import shutil
import threading
from pathlib import Path

from core.base import files


def test_folders_that_go_while_they_are_measured_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("four")
    done = threading.Event()

    def come_and_go() -> None:
        while not done.is_set():
            for number in range(20):
                (tmp_path / "chroma.old" / f"{number}" / "graph").mkdir(parents=True)
            shutil.rmtree(tmp_path / "chroma.old")

    working = threading.Thread(target=come_and_go)
    working.start()
    try:
        assert {files.size(tmp_path) for _ in range(200)} == {4}
    finally:
        done.set()
        working.join()
