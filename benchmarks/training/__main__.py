"""Train the reader that scores the units of hits, and write its weights where Tessera reads them.

python -m benchmarks.training DATA [--minutes 14,36] [--out FILE] : DATA holds qa/NAME.json in SQuAD's format (CMRC 2018
trial, DRCD, XQuAD articles 0-23) and pairs/pairs.jsonl.gz (headings of public documentation). The first minutes train
on passages as they are, the second ones on passages with restating sentences too; the reader is the mean of the
networks after both. Encoding takes some 20 minutes more
on two cores. bfloat16, AdamW (Loshchilov and Hutter 2019).
"""

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import Tensor
from torch.nn import functional

from benchmarks.training.examples import (
    PARAGRAPHS,
    Example,
    Passage,
    encode,
    of_headings,
    of_paragraphs,
    restated,
    without_common,
)
from benchmarks.training.network import QUESTION_TOKENS, TOKENS, Network
from core.embedding import EMBEDDERS, tokens
from core.features.answers import reader
from core.model import Matrix

OTHERS = 2
"""Other passages in addition to the right one, mostly of its document."""
ELSEWHERE = 0.15
"""Share of examples with a passage of another document."""
TOGETHER, ALIKE = 8, 256
"""Examples of a step, and those among which passages of similar length are chosen."""
PER_EPOCH = {"paragraph": 10_000, "heading": 9000, "question": 2400}
RATE, DECAY, BETAS, WARM = 5e-4, 0.02, (0.9, 0.98), 200
RIGHT = 3.0
"""Weight of a right unit against a wrong one where each is judged by itself."""
_LEAST = -30.0
Batch = tuple[list[Tensor], Tensor, Tensor]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--minutes", default="14,36")
    parser.add_argument("--out", type=Path, default=reader.WEIGHTS)
    given = parser.parse_args()
    random.seed(7)
    torch.manual_seed(0)
    embedder = tokens.token_embedder(EMBEDDERS.build("bundled"))
    assert embedder is not None, "the built-in model has tokens"
    centre = tokens.centre(embedder)
    examples = [one for name in PARAGRAPHS for one in of_paragraphs(given.data / "qa" / f"{name}.json")]
    examples = without_common([*examples, *of_headings(given.data / "pairs" / "pairs.jsonl.gz")])
    plain = encode(examples, embedder, centre)
    every = plain + encode([*restated(plain)], embedder, centre)
    network = Network()
    weights = {}
    for number, (minutes, some) in enumerate(zip(map(float, given.minutes.split(",")), (plain, every), strict=True)):
        train(network, some, minutes)
        snapshot = network.state_dict().items()
        weights |= {f"{number}.{name}": value.numpy().astype(np.float16) for name, value in snapshot}
    save_file(weights, given.out, metadata={reader.MODEL: embedder.fingerprint})


def train(network: Network, examples: Sequence[Example], minutes: float) -> None:
    """Train a network for some minutes; weights are kept in float32, and computed with in bfloat16."""
    exact = [value.detach().float().clone().requires_grad_() for value in network.parameters()]
    network.bfloat16()
    optimizer = torch.optim.AdamW(exact, lr=RATE, weight_decay=DECAY, betas=BETAS)
    started, step, mean = time.time(), 0, 0.0
    while (done := (time.time() - started) / (60 * minutes)) < 1:
        for inputs, target, there in _epoch(examples):
            done = min(1.0, (time.time() - started) / (60 * minutes))
            for group in optimizer.param_groups:
                group["lr"] = RATE * min(1, step / WARM) * (0.5 * (1 + math.cos(math.pi * done)) + 0.02)
            loss = _loss(network(*inputs).float(), target, there)
            loss.backward()  # type: ignore[no-untyped-call]
            for value, rounded in zip(exact, network.parameters(), strict=True):
                assert rounded.grad is not None, "every weight has a part in the scores"
                value.grad, rounded.grad = rounded.grad.float(), None
            torch.nn.utils.clip_grad_norm_(exact, 1.0)
            optimizer.step()
            with torch.no_grad():
                for value, rounded in zip(exact, network.parameters(), strict=True):
                    rounded.copy_(value)
            step += 1
            mean = 0.98 * mean + 0.02 * loss.item() if step > 1 else loss.item()
            if step % 200 == 0:
                print(f"step {step}, {time.time() - started:.0f} s, loss {mean:.3f}", flush=True)
            if done == 1:
                break
    network.float()
    with torch.no_grad():
        for value, rounded in zip(exact, network.parameters(), strict=True):
            rounded.copy_(value)


def _loss(scores: Tensor, target: Tensor, there: Tensor) -> Tensor:
    """Return the loss of an example's units together, of which any right one will do, and of each unit by itself."""
    examples = len(target)
    there, target = there.view(examples, -1), target.view(examples, -1)
    scores = scores.view(examples, -1).masked_fill(~there, _LEAST)
    right = (target > 0) & there
    weighed = torch.log_softmax(scores, -1) + torch.log(target.clamp(min=1e-9))
    together = -torch.logsumexp(weighed.masked_fill(~right, _LEAST), -1)
    apart = functional.binary_cross_entropy_with_logits(scores, right.float(), reduction="none")
    weight = torch.where(right, RIGHT, 1.0) * there
    return together[right.any(1)].mean() + 0.5 * (apart * weight).sum() / there.sum()


def _epoch(examples: Sequence[Example]) -> Iterator[Batch]:
    """Yield the batches of one epoch in random order, each of passages of similar length."""
    drawn: list[Example] = []
    for kind, most in PER_EPOCH.items():
        own = [one for one in examples if one.kind == kind]
        drawn += random.sample(own, min(most, len(own)))
    random.shuffle(drawn)
    batches = []
    for at in range(0, len(drawn), ALIKE):
        alike = sorted(drawn[at : at + ALIKE], key=lambda one: len(one.passage.bits))
        batches += [alike[first : first + TOGETHER] for first in range(0, len(alike), TOGETHER)]
    random.shuffle(batches)
    passages = [one.passage for one in examples]
    for batch in batches:
        yield _batch(batch, [[one.passage, *_others(one, passages)] for one in batch])


def _others(example: Example, every: Sequence[Passage]) -> list[Passage]:
    others = random.sample(example.others, min(OTHERS, len(example.others)))
    others += random.choices(every, k=OTHERS - len(others))
    return [*others[:-1], random.choice(every)] if random.random() < ELSEWHERE else others


def _batch(examples: Sequence[Example], groups: Sequence[Sequence[Passage]]) -> Batch:
    """Return the inputs for the passages of each example, the target of each unit, and which units are there."""
    passages = [passage for group in groups for passage in group]
    vectors = [example.vectors for example, group in zip(examples, groups, strict=True) for _ in group]
    words = min(QUESTION_TOKENS, max(map(len, vectors)))
    length = min(TOKENS, max(len(one.bits) for one in passages))
    units = [one.units for one in passages]
    shape = len(passages), max(map(len, units)), length
    question = np.zeros((len(passages), words, vectors[0].shape[1]), np.float32)
    signs = np.zeros((len(passages), length, vectors[0].shape[1]), np.float32)
    asked, held = np.zeros((len(passages), words), bool), np.zeros((len(passages), length), bool)
    about, inside = np.zeros((len(passages), length, 2), np.float32), np.zeros(shape, bool)
    target = np.zeros(shape[:2], np.float32)
    for at, passage in enumerate(passages):
        rows, bits, places = vectors[at][:words], passage.bits[:length], passage.places[:length]
        question[at, : len(rows)], asked[at, : len(rows)] = rows, True
        signs[at, : len(bits)] = 2.0 * tokens.unpack_signs(bits, signs.shape[2]) - 1
        held[at, : len(bits)] = True
        masks: Matrix = np.stack([tokens.tokens_within(places, one.spans) for one in units[at]])
        inside[at, : len(masks), : len(places)] = masks
        about[at, : len(places), 0] = places[:, 0] < 0
        about[at, masks[masks.any(axis=1)].argmax(axis=1), 1] = 1
    for at, example in enumerate(examples):
        target[at * len(groups[0]), list(example.right)] = example.target()
    inputs = [torch.from_numpy(one) for one in (question, asked, signs, held, about, inside)]
    inputs = [one.bfloat16() if one.dtype == torch.float32 else one for one in inputs]
    return inputs, torch.from_numpy(target).view(len(examples), -1), torch.from_numpy(inside.any(axis=2))


if __name__ == "__main__":
    main()
