"""Time from `streamlit run` until a user can type into the first page: python -m benchmarks.startup

Each run starts a new server and a new browser on a new workspace, or on `--workspace`. `shown` is when the page's text
is on the screen, `interactive` when its menu has responded to a click, `model` when the language model is loaded.
The app's modules are compiled first, as they are where it is installed.
Before each run, a Streamlit app of two pages with just titles and a text box is started on the same machine; the last
line is the ratio to it.
"""

import argparse
import compileall
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
BARE = """
import streamlit as st

def search():
    st.text_input("Ask a question")

def home():
    st.title("Tessera")

st.navigation([st.Page(home, default=True), st.Page(search)]).run()
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--workspace", type=Path)
    options.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("google-chrome"))
    given = options.parse_args()
    for package in ("core", "pages"):
        compileall.compile_dir(ROOT / package, quiet=1)
    runs: dict[str, list[dict[str, float]]] = {"bare": [], "app": []}
    with sync_playwright() as playwright:
        for number in range(1, given.runs + 1):
            with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
                bare = Path(folder, "bare.py")
                bare.write_text(BARE, "utf-8")
                for name, script in (("bare", bare), ("app", ROOT / "app.py")):
                    browser = playwright.chromium.launch(executable_path=given.chromium, args=["--no-sandbox"])
                    runs[name].append(measure(browser, script, given.workspace or Path(folder) / "workspace"))
                    browser.close()
                    print(f"run {number} {name:<7}" + line(runs[name][-1], "s"), flush=True)
    medians = {name: {at: statistics.median(run[at] for run in ran) for at in ran[0]} for name, ran in runs.items()}
    for name, median in medians.items():
        print(f"median {name:<6}" + line(median, "s"))
    print("ratio        " + line({at: medians["app"][at] / bare for at, bare in medians["bare"].items()}, ""))


def line(values: dict[str, float], unit: str) -> str:
    return "   ".join(f"{name} {value:.2f} {unit}" for name, value in values.items())


def measure(browser: Browser, script: Path, workspace: Path) -> dict[str, float]:
    """Start an app once and return seconds since its start."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    page = browser.new_page(locale="en-US")
    environment = os.environ | {"TESSERA_WORKSPACE": str(workspace)}
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=script.parent,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    seconds: dict[str, float] = {}
    try:
        url = f"http://127.0.0.1:{port}"
        wait(f"{url}/_stcore/health")
        seconds["server"] = time.perf_counter() - started
        page.goto(url)
        page.get_by_role("heading", name="Tessera").wait_for()
        seconds["shown"] = time.perf_counter() - started
        page.get_by_role("link", name="Search").click()
        page.get_by_role("textbox", name="Ask a question").wait_for()
        seconds["interactive"] = time.perf_counter() - started
        if script.name == "app.py":
            page.get_by_text("Ready to search").wait_for(timeout=300_000)
            seconds["model"] = time.perf_counter() - started
    finally:
        process.terminate()
        process.wait()
    return seconds


def wait(url: str) -> None:
    while True:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.02)


if __name__ == "__main__":
    main()
