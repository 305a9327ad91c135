"""How well the nearest notes recover the author's groups, links and folders: held-out labels of both vaults.

python -m benchmarks.related DATA [--workspaces DIR,DIR] [--notes 10000] : DATA contains vaults/NAME. Workspaces with
the imported vaults save embedding them again (use copies, although they are opened for reading only). The vaults have
no tags and one has no folders, so a note's chapter is its held-out tag and its held-out folder. The author's links are
read from the files (`chNN-….html`, `:numref:`) and left out of the compared words. An index of all notes is nobody's
neighbour. For each note and measure, the result is the share of right ones among the first five, of at most five that
exist. There are four orders: the most frequent labels or the most linked notes, for all notes alike; words only (cosine
of tf-idf over whole notes); vectors only; and what the page shows. `--notes` times related notes in a made-up workspace
of this size.
"""

import argparse
import json
import math
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import mean, median

import numpy as np

from benchmarks.quality import imported
from core.features.related.service import votes
from core.model import Filters, Note
from core.notes.texts import NoteTexts
from core.retrieval.neighbours.service import CANDIDATES, Neighbour, Neighbours, Shared, words_of
from core.workspace import Workspace

VAULTS = ("rust-book", "d2l-zh")
ARTICLES = {"rust-book": ("xquad24_en", "xquad24_zh"), "d2l-zh": ()}
"""Wikipedia paragraphs in each workspace, labelled with their article. No weight was chosen on them."""
INDEXES = ("SUMMARY.md",)
FIRST = 5
_CHAPTER = re.compile(r"(ch\d\d|appendix)")
_LABEL, _REFERENCE = re.compile(r":label:`([^`]+)`"), re.compile(r":(?:numref|eqref):`([^`]+)`")
_PAGE = re.compile(r"\b((?:ch\d\d|appendix)-[\w-]+)\.(?:html|md)")
_LEAKS = re.compile(rf"{_LABEL.pattern}|{_REFERENCE.pattern}|{_PAGE.pattern}|\b(?:ch\d\d|appendix)-[\w-]+")
"""Text that reveals a link or a chapter by its name."""

Ranking = Callable[[str], list[Neighbour]]


@dataclass(frozen=True, slots=True)
class Vault:
    """The notes of a vault by id, with the chapter and the linked notes of each."""

    name: str
    workspace: Workspace
    notes: Mapping[str, Note]
    chapters: Mapping[str, str]
    links: Mapping[str, set[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--workspaces", default="")
    parser.add_argument("--notes", type=int, default=0)
    given = parser.parse_args()
    print("| vault | way | same chapter | linked | chapter guessed: first | first 5 |")
    print("|---|---|---|---|---|---|")
    folders = [Path(one) for one in given.workspaces.split(",") if one]
    for number, name in enumerate(VAULTS):
        if folders:
            with Workspace(folders[number], readonly=True) as workspace:
                for one in (name, *ARTICLES[name]):
                    if any(base.name == one for base in workspace.bases.all()):
                        table(read(workspace, one, given.data))
        else:
            with tempfile.TemporaryDirectory() as scratch, Workspace(Path(scratch)) as workspace:
                imported(workspace, given.data / "vaults" / name, "bundled")
                table(read(workspace, name, given.data))
    if given.notes:
        time_of(given.notes)


def read(workspace: Workspace, name: str, data: Path) -> Vault:
    cards = workspace.notes.all(Filters(bases=(name,)))
    notes = {card.id: workspace.notes.get(card.id) for card in cards if card.path not in INDEXES}
    chapters = {}
    for note_id, note in notes.items():
        folder, _, file = str(note.path).rpartition("/")
        chapter = folder or next(iter(_CHAPTER.findall(file)), "")
        if chapter:
            chapters[note_id] = chapter
    if name not in VAULTS:
        articles = json.loads((data / "qa" / f"{name}.json").read_text(encoding="utf-8"))["data"]
        titles = [article["title"] for article in articles for _ in article["paragraphs"]]
        chapters = {note_id: titles[int(str(note.path).removesuffix(".md"))] for note_id, note in notes.items()}
    sizes = Counter(chapters.values())
    several = {note_id: chapter for note_id, chapter in chapters.items() if sizes[chapter] > 1}
    return Vault(name, workspace, notes, several, linked(notes))


def linked(notes: Mapping[str, Note]) -> dict[str, set[str]]:
    """Return which notes the author of each note links to."""
    named = {str(note.path).removesuffix(".md"): note_id for note_id, note in notes.items()}
    for note_id, note in notes.items():
        named |= dict.fromkeys(_LABEL.findall(note.body), note_id)
    return {
        note_id: {named[one] for one in (*_REFERENCE.findall(note.body), *_PAGE.findall(note.body)) if one in named}
        - {note_id}
        for note_id, note in notes.items()
    }


def text_of(note: Note) -> str:
    """Return a note's words without those that reveal its links or its chapter."""
    return _LEAKS.sub(" ", f"{note.title}\n{note.body}")


class TextsWithoutLeaks(NoteTexts):
    """The texts of notes without the words that reveal their links or chapters."""

    def without_hidden(self, note_id: str) -> Note:
        note = super().without_hidden(note_id)
        return replace(note, title=_LEAKS.sub(" ", note.title), body=_LEAKS.sub(" ", note.body))


def table(vault: Vault) -> None:
    """Print a row for each order."""
    workspace = vault.workspace
    neighbours = Neighbours(workspace.store, TextsWithoutLeaks(workspace.store), lambda: workspace.searching)
    words = by_words(vault)
    rankings: dict[str, Ranking] = {
        "words alone": lambda one: words[one],
        "meaning alone": lambda one: [
            _neighbour(other, cosine)
            for other, cosine in neighbours.meaning.cosines(one).items()
            if other in vault.notes
        ],
        "meaning and words": lambda one: [
            each for each in neighbours.nearest_to(vault.notes[one]) if each.note_id in vault.notes
        ],
    }
    chapters = [chapter for chapter, _ in Counter(vault.chapters.values()).most_common()]
    targets = [one for one, _ in Counter(one for links in vault.links.values() for one in links).most_common()]
    baseline: Ranking = lambda one: [_neighbour(each, 1.0) for each in targets if each != one]  # noqa: E731
    row(vault, "most frequent", baseline, lambda one: chapters)
    labels = {note_id: [chapter] for note_id, chapter in vault.chapters.items()}
    for name, ranking in rankings.items():
        row(vault, name, ranking, guesses(ranking, labels))
    precision(vault)


def guesses(ranking: Ranking, labels: Mapping[str, list[str]]) -> Callable[[str], list[str]]:
    """Return a function that guesses the label of a note from its neighbours."""
    return lambda one: [*votes(ranking(one)[:CANDIDATES], labels)]


def row(vault: Vault, name: str, ranking: Ranking, labels: Callable[[str], Sequence[str]]) -> None:
    related, links, first, among = [], [], [], []
    for note_id, note in vault.notes.items():
        near = [one.note_id for one in ranking(note_id)][:FIRST]
        if chapter := vault.chapters.get(note_id):
            others = sum(each == chapter for each in vault.chapters.values()) - 1
            related.append(share(sum(vault.chapters.get(one) == chapter for one in near), others))
            guessed = labels(note_id)
            first.append(guessed[:1] == [chapter])
            among.append(chapter in guessed[:FIRST])
        if vault.links[note.id]:
            links.append(share(len(vault.links[note_id].intersection(near)), len(vault.links[note_id])))
    figures = [mean(related), mean(links or [0]), mean(first), mean(among)]
    print(f"| {vault.name} | {name} | {' | '.join(f'{figure:.3f}' for figure in figures)} |")


def share(right: int, there: int) -> float:
    """Return the share of right ones among the first five, of at most five that exist."""
    return right / min(FIRST, there)


def by_words(vault: Vault) -> dict[str, list[Neighbour]]:
    """Return all notes by the cosine of their words (tf-idf), for each note."""
    counts = {note_id: words_of(text_of(note)).counts for note_id, note in vault.notes.items()}
    holders = Counter(word for each in counts.values() for word in each)
    place = {word: number for number, word in enumerate(holders)}
    ids = [*counts]
    matrix = np.zeros((len(ids), len(place)), np.float32)
    for number, each in enumerate(counts.values()):
        for word, count in each.items():
            matrix[number, place[word]] = (1 + math.log(count)) * math.log(len(ids) / holders[word])
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-6)
    cosines = matrix @ matrix.T
    return {
        one: [_neighbour(ids[at], float(cosines[number, at])) for at in np.argsort(-cosines[number]) if at != number]
        for number, one in enumerate(ids)
    }


def precision(vault: Vault) -> None:
    """Print how many of the links suggested on the page are the author's, or lead to a note of the same chapter."""
    shown = right = near = 0
    for note_id in vault.notes:
        for one in vault.workspace.related.of(note_id).links:
            shown += 1
            right += one.note.id in vault.links[note_id] or note_id in vault.links.get(one.note.id, ())
            near += vault.chapters.get(one.note.id, "") == vault.chapters.get(note_id)
    print(f"{vault.name}: {shown} links suggested, {near} of them within the chapter, {right} of them the author's")


def time_of(count: int) -> None:
    """Print the time for related notes in a workspace of this size: the first time, later, and after a change."""
    words = [f"word{number}" for number in range(4_000)]
    chosen = random.Random(1)
    with tempfile.TemporaryDirectory() as scratch, Workspace(Path(scratch)) as workspace:
        workspace.bases.add("made", embedder="tfidf")
        bodies = (
            f"# Note {number}\n\n"
            + "\n\n".join(" ".join(chosen.choices(words[number % 40 * 100 :][:400], k=60)) for _ in range(8))
            for number in range(count)
        )
        workspace.notes.add_many("made", ({"body": body} for body in bodies), author="person")
        ids = [card.id for card in workspace.notes.all()]
        print(f"\n{count:,} notes: seconds of the processor, and by the clock")
        show("related notes, first", [lambda: workspace.related.of(ids[0])])
        show("of another note", [partial(workspace.related.of, one) for one in chosen.sample(ids, 10)])
        show("of the same again", [lambda: workspace.related.of(ids[0])] * 3)
        workspace.notes.update(ids[1], body="# Changed\n\nOther words.\n", author="person")
        show("after a change", [lambda: workspace.related.of(ids[0])])
        show("concepts, first", [workspace.related.concepts.all])
        show("concepts again", [workspace.related.concepts.all])
        show("a way", [lambda: workspace.related.concepts.way(ids[0], ids[-1])])


def show(name: str, calls: Sequence[Callable[[], object]]) -> None:
    """Print the median times of some calls."""
    times = []
    for call in calls:
        processor, clock = time.process_time(), time.perf_counter()
        call()
        times.append((time.process_time() - processor, time.perf_counter() - clock))
    print(f"{name}: {median(one for one, _ in times):.2f}, {median(one for _, one in times):.2f}")


def _neighbour(note_id: str, score: float) -> Neighbour:
    return Neighbour(note_id, score, score, Shared(0.0, (), 0.0))


if __name__ == "__main__":
    main()
