"""How a cross-encoder made of some of the bundled model's layers learns to put the right passage first."""

import math
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.embedding.device import Device
from core.embedding.loading import load
from core.embedding.tokens import TYPICAL
from core.errors import Cancelled, ConfigError
from core.model import Progress
from core.reranking.network import Network, Shape
from core.reranking.own import LAYERS
from core.reranking.pieces import fitting

RATE = 3e-5
HEAD_RATE = 1e-3
WARM_UP = 0.06
"""The share of the steps in which the rate rises."""

TOGETHER = 1 / 3
"""The share of the layers, the last ones, that read question and passage together."""

LOOKS = 8
"""How often, in all, what was held back is looked at to keep the best weights."""


@dataclass(frozen=True, slots=True)
class Group:
    """A question and the passages it is asked of; `target` is how the right ones share 1."""

    question: str
    passages: tuple[str, ...]
    target: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Learned:
    """How far it came: `loss` is that of the held-back groups with the weights that were kept."""

    steps: int
    seconds: float
    loss: float
    stopped: bool


def chosen(layers: int, there: int) -> list[int]:
    """Return which layers are kept, evenly from the first: untrained, 0 2 4 6 8 10 of twelve find 0.79 to 0.85 of
    the right paragraphs where the first six find 0.28 to 0.41 and all twelve 0.93 to 0.96 (docs/benchmarks.md).

    Raises ConfigError for more than there are.
    """
    if not 1 <= layers <= there:
        raise ConfigError(f"The bundled model has {there} layers: choose from 1 to {there}, not {layers}.")
    return [number * there // layers for number in range(layers)]


def make(folder: Path, layers: int, tokens: int, device: Device) -> Network:
    """Return the network to be trained: some layers of the encoder in `folder`, the last third reading pairs."""
    import torch

    encoder = load("SentenceTransformer", folder, folder.name, replace(device, dtype="float32"))
    kept = chosen(layers, len(encoder[0].model.encoder.layer))
    shape = Shape(tuple(kept), layers - math.ceil(layers * TOGETHER))
    made = Network(encoder, shape, device=device.name, dtype=torch.float32, tokens=tokens)
    made.embeddings.requires_grad_(False)
    made.settle_centre(TYPICAL)
    return made


def learn(
    student: Network,
    groups: Sequence[Group],
    held: Sequence[Group],
    *,
    steps: int,
    seconds: float,
    batch: int,
    device: Device,
    seed: int,
    progress: Progress,
) -> Learned:
    """Train in place, and leave the weights that did best on the groups held back.

    The rate follows whichever comes first, the last step or the end of the time. Ctrl-C and Cancelled end it early.
    """
    import torch

    optimizer, started = _optimizer(student), time.monotonic()
    kept, best, last_look, stopped, step = _weights(student), math.inf, 0.0, False, 0
    batches = _batches(groups, batch, seed)
    try:
        best = _loss_of(student, held, batch, device)
        for step in range(1, steps + 1):
            done = max((step - 1) / steps, (time.monotonic() - started) / seconds)
            if done >= 1:
                step -= 1
                break
            for rates, top in zip(optimizer.param_groups, (RATE, HEAD_RATE), strict=True):
                rates["lr"] = top * min(1.0, done / WARM_UP + 1 / steps) * (1 - done)
            loss = _loss(student, next(batches), device)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_([p for rates in optimizer.param_groups for p in rates["params"]], 1.0)
            optimizer.step()
            progress(done * steps, steps, f"loss {loss.item():.3f}, held back {best:.3f}")
            if done - last_look >= 1 / LOOKS:
                last_look = done
                if (seen := _loss_of(student, held, batch, device)) < best:
                    kept, best = _weights(student), seen
        if (seen := _loss_of(student, held, batch, device)) < best:
            kept, best = _weights(student), seen
    except (KeyboardInterrupt, Cancelled):
        stopped = True
    student.parts.load_state_dict(kept)
    return Learned(step, time.monotonic() - started, best, stopped)


def _optimizer(student: Network) -> Any:
    import torch

    body = list(student.parts["layer"].parameters())
    heads = [weights for name, weights in student.parts.named_parameters() if not name.startswith(LAYERS)]
    return torch.optim.AdamW([{"params": body}, {"params": heads}], lr=RATE, weight_decay=0.01)


def _weights(student: Network) -> dict[str, Any]:
    """A copy of what is trained."""
    return {name: value.detach().clone() for name, value in student.parts.state_dict().items()}


def _batches(groups: Sequence[Group], size: int, seed: int) -> Iterator[Sequence[Group]]:
    chance = random.Random(seed)
    left: list[Group] = []
    while True:
        if len(left) < size:
            left += chance.sample(groups, len(groups))
        yield left[:size]
        left = left[size:]


def _loss_of(student: Network, groups: Sequence[Group], batch: int, device: Device) -> float:
    import torch

    with torch.inference_mode():
        losses = [
            float(_loss(student, part, device)) * len(part)
            for part in (groups[at : at + batch] for at in range(0, len(groups), batch))
        ]
    return sum(losses) / max(1, len(groups))


def _loss(student: Network, groups: Sequence[Group], device: Device) -> Any:
    """Cross-entropy of the scores within each group against its target."""
    import torch

    pairs = [pair for group in groups for pair in fitting(student, group.question, group.passages)]
    features = {name: value.to(student.device) for name, value in student.preprocess(pairs).items()}
    with _quick(device):
        states = student.states(features)
    scores = student.scores(states, features["whose"])[:, 0].split([len(group.passages) for group in groups])
    losses = [
        -(torch.tensor(group.target, device=own.device) * torch.log_softmax(own, dim=0)).sum()
        for group, own in zip(groups, scores, strict=True)
    ]
    return torch.stack(losses).mean()


def _quick(device: Device) -> AbstractContextManager[Any]:
    import torch

    return torch.autocast(device.name, torch.bfloat16, enabled=device.dtype == "bfloat16")
