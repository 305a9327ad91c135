"""Questions with their right passages -> a cross-encoder of a person's own, measured on what was held back.

sources -> groups -> student -> folder -> figures
"""

import math
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from core import embedding
from core.embedding import Embedder, bundled, tokens
from core.embedding.device import Device, choose
from core.embedding.writing import beside
from core.errors import ConfigError
from core.evaluation import golds
from core.evaluation import questions as question_files
from core.indexing import centre_of
from core.model import KnowledgeBase, Progress, Question, unheard
from core.reranking import Reranker, own
from core.reranking.cross_encoder import CrossEncoder
from core.reranking.late_interaction import LateInteraction
from core.reranking.pieces import fitting
from core.store import Store
from core.training import examples, measure, student
from core.training.examples import Example, Passage, Source
from core.training.groups import groups
from core.training.measure import Figures
from core.training.student import Learned

LARGEST_QUESTIONS = 200
LARGEST_SHELF = 400
"""Held-back questions that are asked at most, and the passages they are asked of."""

LOOKED_AT = 64
"""Held-back groups that the training looks at to keep the best weights."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a cross-encoder is trained; it ends with the last step or the last minute, whichever is first.

    `tokens` of a pair are read in training. `held_back` is the share of notes and articles that are only asked.
    """

    layers: int = 6
    steps: int = 2000
    minutes: float = 30.0
    tokens: int = 128
    wrong: int = 3
    batch: int = 8
    held_back: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("steps", self.steps, 1, 1_000_000),
            ("minutes", self.minutes, 0.01, 10_000),
            ("tokens", self.tokens, 16, 512),
            ("wrong passages", self.wrong, 1, 31),
            ("groups of a step", self.batch, 1, 256),
        ):
            if not least <= value <= most:
                raise ConfigError(f"The number of {name} must be from {least} to {most:,}, not {value}.")


@dataclass(frozen=True, slots=True)
class Report:
    """A trained cross-encoder in `folder`; `figures` are those of `asked` questions that it never saw.

    They are empty where nothing could be held back. `right` of `examples` were trained on.
    """

    folder: Path
    sources: Mapping[str, int]
    trained_on: int
    learned: Learned
    asked: int
    passages: int
    figures: Sequence[Figures]

    @property
    def best(self) -> Figures | None:
        """The result at its best weight, the smallest of equal ones."""
        own = [one for one in self.figures if one.reranker == OWN]
        return max(own, key=lambda one: (one.mrr_at_10, -one.weight), default=None)

    @property
    def worth_it(self) -> bool:
        """Whether the order is better with it than without."""
        before = next((one for one in self.figures if not one.reranker), None)
        return before is not None and self.best is not None and self.best.mrr_at_10 > before.mrr_at_10


OWN, LATE = "own", "late-interaction"


def sources(store: Store, base: KnowledgeBase | None, embedder: Embedder | None, files: Sequence[Path]) -> list[Source]:
    """Return what there is to learn from: files of questions, and a base with its headings and sentences.

    Raises SourceError or QuestionSetError for a file, ConfigError for questions on notes without a base.
    """
    found = []
    for file in files:
        if file.suffix.lower() != ".jsonl":
            found.append(examples.squad(file))
        elif base is None or embedder is None:
            raise ConfigError(f"The questions in {file} are on notes: name the base that holds them with --base.")
        else:
            found.append(examples.own(store, base, embedder, _placed(store, base, file), str(file)))
    if base is not None and embedder is not None:
        found.append(examples.vault(store, base, embedder))
    if not any(source.examples for source in found):
        raise ConfigError(
            "There is nothing to learn from. Name a base with headings (--base) or files of questions (--questions)."
        )
    return found


def _placed(store: Store, base: KnowledgeBase, file: Path) -> list[Question]:
    return golds.place(store, base, question_files.load(file), str(file))


def train(found: Sequence[Source], folder: Path, recipe: Recipe, progress: Progress = unheard) -> Report:
    """Train a cross-encoder and save it as `folder`, whole or not at all, then ask it what was held back.

    Ctrl-C, or a progress that raises Cancelled, ends the training and keeps the best weights so far.
    Raises ConfigError for a folder that exists or a recipe that can't be, ModelError where the bundled
    model isn't here or the folder can't be written.
    """
    import torch

    if folder.exists():
        raise ConfigError(f"There is something at {folder} already. Name another folder with --out.")
    chance, device = random.Random(recipe.seed), choose()
    held = kept_back(found, recipe)
    train_groups, held_groups = [], []
    for source in found:
        train_groups += groups(source.where(lambda note: note not in held), recipe.wrong, chance)
        held_groups += groups(source.where(held.__contains__), recipe.wrong, chance)
    if not train_groups:
        raise ConfigError("There are too few passages to tell right from wrong ones. Add notes or files of questions.")
    looked_at = chance.sample(held_groups, min(len(held_groups), LOOKED_AT)) or train_groups[:LOOKED_AT]
    torch.manual_seed(recipe.seed)
    network = student.make(bundled.find()[1](), recipe.layers, recipe.tokens, device)
    learned = student.learn(
        network,
        train_groups,
        looked_at,
        steps=recipe.steps,
        seconds=60 * recipe.minutes,
        batch=recipe.batch,
        device=device,
        seed=recipe.seed,
        progress=progress,
    )
    network.settle_level([pair for group in looked_at[:4] for pair in fitting(network, group.question, group.passages)])
    with beside(folder, _cannot_write) as made:
        own.save(network, made)
    shelf = _shelf(found, held, chance)
    figures = _figures(folder, *shelf, device, progress)
    told = {source.name: len(source.examples) for source in found}
    return Report(folder, told, len(train_groups), learned, len(shelf[1]), len(shelf[0]), figures)


def kept_back(found: Sequence[Source], recipe: Recipe) -> set[str]:
    """The notes and articles whose questions are only asked: a share, by their hash, so that it is always the same."""
    notes = {source.passages[one.right].note for source in found for one in source.examples}
    in_order = sorted(notes, key=lambda note: sha256(f"{recipe.seed}:{note}".encode("utf-8", "replace")).digest())
    return set(in_order[: math.ceil(recipe.held_back * len(in_order))]) if len(in_order) > 1 else set()


def _cannot_write(folder: Path, error: OSError) -> str:
    return f"The model can't be written to {folder} ({error.strerror or error}). Name another folder with --out."


def _shelf(found: Sequence[Source], held: set[str], chance: random.Random) -> tuple[list[Passage], list[Example]]:
    """The passages of the notes held back, and the questions on them."""
    passages: list[Passage] = []
    asked: list[Example] = []
    for source in found:
        numbers = [number for number, one in enumerate(source.passages) if one.note in held]
        numbers = sorted(chance.sample(numbers, min(len(numbers), LARGEST_SHELF // len(found))))
        new = {number: len(passages) + at for at, number in enumerate(numbers)}
        passages += [source.passages[number] for number in numbers]
        # A passage lacks one sentence at most, so that what is asked of it doesn't give it away.
        taken: set[int] = set()
        own = [replace(one, right=new[one.right]) for one in source.examples if one.right in new]
        own = [one for one in own if not one.hidden or not (one.right in taken or taken.add(one.right))]  # type: ignore[func-returns-value]
        asked += chance.sample(own, min(len(own), LARGEST_QUESTIONS // len(found)))
    return passages, asked


def _figures(
    folder: Path, passages: Sequence[Passage], asked: Sequence[Example], device: Device, progress: Progress
) -> list[Figures]:
    if not asked:
        return []
    embedder = embedding.build("bundled")
    rerankers: dict[str, Reranker] = {OWN: CrossEncoder(str(folder), device=device)}
    telling = tokens.of(embedder)
    with tempfile.TemporaryDirectory(prefix="tessera-training-") as scratch:
        store = measure.scratch(Path(scratch))
        try:
            if telling is not None:
                rerankers[LATE] = LateInteraction(telling, centre_of(store, telling))
            base, questions = measure.shelve(store, passages, asked, embedder, progress)
            return measure.measure(store, base, questions, embedder, rerankers, progress=progress)
        finally:
            store.close()
