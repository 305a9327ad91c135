"""How well a map keeps neighbours, and how fast one of 10,000 notes is drawn and moved in Chromium.

python -m benchmarks.map --workspaces FOLDER,FOLDER [--notes 10000] : each workspace holds a vault that is embedded;
the trustworthiness (Venna and Kaski 2001, 10 neighbours) of its map and of its two main directions alone is printed.
Then so many made-up notes of 40 topics, with vectors made of their topics and noise, are drawn by the app.
"""

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

from benchmarks.scale import read
from core.base.text import digest
from core.model import Matrix
from core.notes import maps
from core.store.note_to_index import NoteToIndex
from core.workspace import Workspace
from tests.browser.conftest import chromium_path, serving

TOPICS, NEIGHBOURS = 40, 10
_DRAWN = ".map[data-drawn]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workspaces", required=True, help="folders, with a comma between")
    parser.add_argument("--notes", type=int, default=10_000)
    given = parser.parse_args()
    folders = [*map(Path, given.workspaces.split(","))]
    for folder in folders:
        with Workspace(folder, readonly=True) as workspace:
            base = workspace.bases.all()[0]
            _, vectors = workspace.store.vectors.note_directions(base)
            planes = maps.places(vectors), maps.directions(vectors)[:, :2]
            shares = [trustworthiness(vectors, plane) for plane in planes]
            print(
                f"{base.name}: {len(vectors)} notes, trustworthiness {shares[0]:.3f}, directions alone {shares[1]:.3f}"
            )
    with tempfile.TemporaryDirectory() as scratch:
        fill(Path(scratch), folders[0], given.notes)
        with Workspace(Path(scratch)) as workspace:
            started = time.perf_counter()
            workspace.maps.build_map()
            print(f"computed in {time.perf_counter() - started:.1f} s", flush=True)
        measure(Path(scratch))


def trustworthiness(vectors: Matrix, plane: Matrix) -> float:
    """Return 1 less the share of neighbours on the plane that are none among the vectors, weighted by their rank."""
    count = len(vectors)
    ranks = np.argsort(np.argsort(-(vectors @ vectors.T) - 2 * np.eye(count), axis=1), axis=1)
    squared = ((plane[:, None] - plane) ** 2).sum(-1) + np.diag([np.inf] * count)
    near = np.argsort(squared, axis=1)[:, :NEIGHBOURS]
    beyond = np.maximum(0, np.take_along_axis(ranks, near, axis=1) - NEIGHBOURS).sum()
    return float(1 - 2 * beyond / (count * NEIGHBOURS * (2 * count - 3 * NEIGHBOURS - 1)))


def fill(folder: Path, like: Path, count: int) -> None:
    """Put made-up notes with made-up vectors into a workspace."""
    chance = np.random.default_rng(3)
    with Workspace(like, readonly=True) as source:
        base = source.bases.all()[0]
        sample = next(iter(read(source.store, base)))
    topics = chance.normal(size=(TOPICS, base.dimension))
    with Workspace(folder) as workspace:
        store = workspace.store
        store.open_index()
        made = store.bases.add(
            "many",
            embedder=base.embedder,
            fingerprint=base.fingerprint,
            dimension=base.dimension,
            chunking=base.chunking,
        )
        store.index.build(made)
        for start in range(0, count, 500):
            numbers = range(start, min(count, start + 500))
            vectors = topics[[number % TOPICS for number in numbers]] + 0.9 * chance.normal(
                size=(len(numbers), base.dimension)
            )
            vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
            keys = [digest(f"note {number}") for number in numbers]
            store.vectors.add(base.fingerprint, keys, vectors)
            ids = store.vectors.ids(base.fingerprint, keys)
            store.put(
                made, [_note(sample, made.id, number, [[ids[key]]]) for number, key in zip(numbers, keys, strict=True)]
            )


def _note(sample: object, base_id: str, number: int, vectors: list[list[int]]) -> NoteToIndex:
    note_id, body = (
        f"{number:012x}",
        f"topic{number % TOPICS} word{number % 400} of a note\n\n[[{number * 7 % 10_000}]]\n",
    )
    chunk = replace(sample.chunks[0], id=f"{note_id}:0", note_id=note_id, text=body, start=0, end=len(body))
    note = replace(
        sample.note,
        id=note_id,
        base_id=base_id,
        generation=1,
        title=f"Topic{number % TOPICS} note {number}",
        path=f"topic{number % TOPICS}/{number}.md",
        body=body,
        links=(f"{number * 7 % 10_000}",),
        tags=(f"tag{number % 7}",),
    )
    return NoteToIndex(note, [chunk], vectors, "made up", "made up")


def measure(folder: Path) -> None:
    """Print how long the map takes to be drawn at first and again, and its frames a second while it is dragged."""
    with serving(folder) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = browser.new_context(viewport={"width": 1400, "height": 950}, color_scheme=scheme).new_page()
            page.set_default_timeout(120_000)
            page.goto(address)
            page.get_by_role("link", name="Map").wait_for()
            for label in ("first", "again"):
                started = time.perf_counter()
                page.get_by_role("link", name="Map").click()
                page.locator(_DRAWN).wait_for()
                print(f"{scheme}, {label}: drawn in {time.perf_counter() - started:.2f} s", flush=True)
                page.get_by_role("link", name="Home").click()
                page.get_by_role("heading", level=1).wait_for()
            page.get_by_role("link", name="Map").click()
            page.locator(_DRAWN).wait_for()
            page.wait_for_timeout(1500)
            print(f"{scheme}: {pan(page):.0f} frames a second while dragged", flush=True)
            page.screenshot(path=f"/tmp/n-found/map-{scheme}.png")
        browser.close()


def pan(page: Page) -> float:
    """Drag the map for two seconds inside the page and return the frames a second that were drawn."""
    return float(
        page.locator(_DRAWN).evaluate(
            """async box => {
              const { view } = box, { canvas } = view, place = canvas.getBoundingClientRect();
              const send = (kind, x, y) => canvas.dispatchEvent(new PointerEvent(kind, {
                bubbles: true, pointerId: 1, clientX: place.left + x, clientY: place.top + y }));
              canvas.setPointerCapture = () => {};
              send('pointerdown', 300, 300);
              const start = performance.now(), frames = view.frames;
              while (performance.now() - start < 2000) {
                const at = (performance.now() - start) / 10;
                send('pointermove', 300 + 100 * Math.sin(at / 20), 300 + at / 4);
                await new Promise(requestAnimationFrame);
              }
              return (view.frames - frames) / ((performance.now() - start) / 1000);
            }"""
        )
    )


if __name__ == "__main__":
    main()
