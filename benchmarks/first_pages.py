"""Processor time of the first pages of a new workspace, in one process: python -m benchmarks.first_pages

Told are the import of Streamlit, that of the app, the first Home, and the first Search, in seconds of this thread and
of those that it started; how many modules are loaded; and the same pages again.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        os.environ |= {"TESSERA_WORKSPACE": folder, "TESSERA_EMBEDDER": "tfidf", "TESSERA_SEARCH__RERANKER": "none"}
        timed("streamlit", lambda: __import__("streamlit.web.cli"))
        timed("app", lambda: __import__("app"))
        from streamlit.testing.v1 import AppTest

        screen = AppTest.from_file(str(Path(__file__).parents[1] / "pages" / "main.py"), default_timeout=300)
        timed("first Home", screen.run)
        timed("Home again", screen.run)
        timed("first Search", screen.switch_page("search.py").run)
        timed("Search again", screen.run)
        print(f"{len(sys.modules)} modules")
        sys.stdout.flush()
        os._exit(bool(screen.exception))


def timed(what: str, act: Callable[[], object]) -> None:
    started = time.process_time()
    act()
    print(f"{what} {time.process_time() - started:.2f} s", end="   ")


if __name__ == "__main__":
    main()
