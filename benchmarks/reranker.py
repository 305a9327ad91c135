"""Our own cross-encoder: make it, train it, and measure it on questions that it never saw.

python -m benchmarks.reranker DATA WORKSPACE [--minutes 0] [--leave-out BASE] [--write] : DATA holds qa/*.json and
questions/NAME.jsonl, WORKSPACE the bases NAME with the bits of their tokens (`python -m benchmarks.quality DATA
--workspace WORKSPACE` makes it). Without minutes nothing is trained. `--leave-out` keeps a base's headings out of
the training, so that its questions are of notes that were never seen. `--out` keeps what was made in a folder, and
`--write` writes what comes along.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core import embedding
from core.embedding import Embedder, bundled, tokens
from core.embedding.device import choose
from core.evaluation.questions import load
from core.indexing import centre_of
from core.model import KnowledgeBase, Question
from core.reranking import Reranker, own
from core.reranking.cross_encoder import CrossEncoder
from core.reranking.late_interaction import LateInteraction
from core.reranking.network import Network
from core.reranking.pieces import fitting
from core.store import Store
from core.training import Recipe, examples, kept_back, measure, student
from core.training.examples import Example, Passage, Source
from core.training.groups import groups

RECIPE = Recipe()
WEIGHTS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0)
QA_QUESTIONS, QA_PASSAGES = 80, 700


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--leave-out", default="")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    embedder = embedding.build("bundled")
    store = Store(given.workspace, readonly=True)
    qa = [examples.squad(file) for file in sorted((given.data / "qa").glob("*.json"))]
    held = kept_back(qa, RECIPE)
    network = made(qa, held)
    if given.minutes:
        bases = [base for base in store.notes.bases() if base.name != given.leave_out]
        trained(network, qa, held, [examples.vault(store, base, embedder) for base in bases], given.minutes)
    with tempfile.TemporaryDirectory() as scratch:
        own.save(network, Path(scratch), layers=bool(given.minutes))
        for folder in (given.out, own.WEIGHTS.parent if given.write else None):
            if folder:
                folder.mkdir(parents=True, exist_ok=True)
                own.save(network, folder, layers=bool(given.minutes))
        asked_on_vaults(store, given.data, embedder, Path(scratch))
        asked_on_paragraphs(qa, held, embedder, Path(scratch))
    store.close()


def made(qa: Sequence[Source], held: set[str]) -> Network:
    """The network before it is trained, its level settled on questions that nothing is measured with."""
    network = student.make(bundled.find()[1](), RECIPE.layers, RECIPE.tokens, choose())
    chance = random.Random(RECIPE.seed)
    found = [
        group
        for source in qa
        for group in groups(source.where(lambda note: note not in held), RECIPE.wrong, chance)[:4]
    ]
    network.settle_level([pair for group in found for pair in fitting(network, group.question, group.passages)])
    return network


def trained(network: Network, qa: Sequence[Source], held: set[str], vaults: Sequence[Source], minutes: float) -> None:
    """Train on as many questions of paragraphs as of the vaults."""
    chance = random.Random(RECIPE.seed)
    own_groups = [group for source in vaults for group in groups(source, RECIPE.wrong, chance)]
    asked = [
        group for source in qa for group in groups(source.where(lambda note: note not in held), RECIPE.wrong, chance)
    ]
    looked_at = [group for source in qa for group in groups(source.where(held.__contains__), RECIPE.wrong, chance)[:6]]
    told = student.learn(
        network,
        own_groups + chance.sample(asked, min(len(asked), len(own_groups))),
        looked_at,
        steps=RECIPE.steps,
        seconds=60 * minutes,
        batch=RECIPE.batch,
        device=choose(),
        seed=RECIPE.seed,
        progress=lambda done, total, what: print(f"{done:.0f}/{total:.0f} {what}", flush=True),
    )
    print(told)


def asked_on_vaults(store: Store, data: Path, embedder: Embedder, folder: Path) -> None:
    for base in store.notes.bases():
        questions = [one for one in load(data / "questions" / f"{base.name}.jsonl") if one.gold]
        rows(base.name, store, base, questions, embedder, folder)


def asked_on_paragraphs(qa: Sequence[Source], held: set[str], embedder: Embedder, folder: Path) -> None:
    chance = random.Random(RECIPE.seed)
    passages: list[Passage] = []
    asked: list[Example] = []
    for source in qa:
        numbers = {one.right for one in source.examples if source.passages[one.right].note in held}
        rest = [number for number in range(len(source.passages)) if number not in numbers]
        numbers |= set(chance.sample(rest, max(0, min(len(rest), QA_PASSAGES // len(qa) - len(numbers)))))
        new = {number: len(passages) + at for at, number in enumerate(sorted(numbers))}
        passages += [source.passages[number] for number in sorted(numbers)]
        own_questions = [one for one in source.examples if source.passages[one.right].note in held]
        chosen = chance.sample(own_questions, min(len(own_questions), QA_QUESTIONS // len(qa)))
        asked += [replace(one, right=new[one.right]) for one in chosen]
    with tempfile.TemporaryDirectory() as scratch:
        store = measure.scratch(Path(scratch))
        base, questions = measure.shelve(store, passages, asked, embedder)
        rows("paragraphs", store, base, questions, embedder, folder)
        store.close()


def rows(
    name: str, store: Store, base: KnowledgeBase, questions: Sequence[Question], embedder: Embedder, folder: Path
) -> None:
    telling = tokens.of(embedder)
    assert telling is not None
    rerankers: dict[str, Reranker] = {
        "own": CrossEncoder(str(folder), seconds=1e6),
        "late": LateInteraction(telling, centre_of(store, telling)),
    }
    started = time.perf_counter()
    for one in measure.measure(store, base, questions, embedder, rerankers, weights=WEIGHTS):
        print(f"{name:<14}{one.reranker or 'none':<8}{one.weight:>5.2f}{one.hit_at_1:>8.3f}{one.mrr_at_10:>8.3f}")
    print(f"{name}: {len(questions)} questions, {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()
