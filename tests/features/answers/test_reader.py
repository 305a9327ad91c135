"""The reader gives the same scores as the network it was trained as, whatever the length of a hit."""

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedding import tokens
from core.features.answers import reader
from core.features.answers.reader import ReaderEnsemble
from core.features.answers.units import Unit
from core.retrieval.highlights import TokenizedHit

if TYPE_CHECKING:
    from benchmarks.training.network import Network

# A worker that runs none of these tests does without torch.
QUESTION_TOKENS, DIMENSION = 48, 384
_HEADING = 3


def hit(count: int) -> tuple[Any, list[Unit]]:
    """A hit of random tokens below a heading, each two characters wide, and its units of ten tokens."""
    random = np.random.default_rng(count)
    at = np.arange(count) * 2
    places = np.array([(-1, -1)] * _HEADING + list(zip(at, at + 2, strict=True)), np.int32)
    bits = random.integers(0, 256, (len(places), DIMENSION // 8), np.uint8)
    question, centre = random.normal(size=(2, 9, DIMENSION)).astype(np.float32)
    units = [Unit("sentence", start, start + 20, None, (start, start + 20)) for start in range(0, count * 2, 20)]
    return SimpleNamespace(compared=(places, None), question=question, centre=centre[0], bits=bits), units


def masks_of(read: Any, units: list[Unit]) -> Any:
    return np.stack([tokens.tokens_within(read.compared[0], unit.spans) for unit in units])


def scores_of(ensemble: ReaderEnsemble, read: Any, units: list[Unit]) -> list[float]:
    everything = np.arange(len(read.bits))
    return ensemble.scores(cast(TokenizedHit, read), everything, masks_of(read, units))


def scores_of_network(network: "Network", read: Any, units: list[Unit]) -> list[float]:
    import torch

    places, _ = read.compared
    question = tokens.unit(read.question - read.centre)[None]
    signs = 2 * tokens.unpack_signs(read.bits, DIMENSION)[None] - 1
    masks = masks_of(read, units)
    about = np.zeros((1, len(places), 2), np.float32)
    about[0, :, 0] = places[:, 0] < 0
    about[0, masks.argmax(axis=1), 1] = 1
    there = [np.ones(one.shape[:2], bool) for one in (question, signs)]
    with torch.no_grad():
        given = (question, there[0], signs, there[1], about, masks[None])
        return network(*map(torch.from_numpy, given))[0].tolist()


def assert_close(scores: Any, exact: Any) -> None:
    """Fail if scores computed in 8 bits aren't nearly the exact ones."""
    assert scores == pytest.approx(exact, abs=5e-3)
    assert np.corrcoef(scores, exact)[0, 1] > 0.999


def ensemble_of(*networks: "Network") -> ReaderEnsemble:
    return ReaderEnsemble(
        [reader.ReaderNetwork({name: value.numpy() for name, value in one.state_dict().items()}) for one in networks]
    )


@pytest.fixture(scope="module")
def network() -> "Network":
    import torch

    from benchmarks.training import network

    assert (network.QUESTION_TOKENS, network.DIMENSION) == (QUESTION_TOKENS, DIMENSION)
    torch.manual_seed(3)
    return network.Network()


def test_the_scores_are_those_of_the_network(network: "Network") -> None:
    read, units = hit(80)
    assert_close(scores_of(ensemble_of(network), read, units), scores_of_network(network, read, units))


def test_several_networks_give_their_mean(network: "Network") -> None:
    other = type(network)()
    read, units = hit(30)
    one, two = (np.array(scores_of_network(each, read, units)) for each in (network, other))
    assert_close(scores_of(ensemble_of(network, other), read, units), (one + two) / 2)


def test_a_long_question_is_cut(network: "Network") -> None:
    read, units = hit(40)
    read.question = np.repeat(read.question, 20, axis=0)
    cut = SimpleNamespace(**{**vars(read), "question": read.question[:QUESTION_TOKENS]})
    assert scores_of(ensemble_of(network), read, units) == scores_of(ensemble_of(network), cut, units)


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 1200)), max_size=6))
def test_the_parts_are_all_tokens_of_the_text_once_below_their_heading(windows: list[tuple[int, int]]) -> None:
    places = [place for head, text in windows for place in [(-1, -1)] * head + [(0, 1)] * text]
    spans = np.array(places, np.int32).reshape(-1, 2)
    cut = [*reader.parts(spans)]
    text = [at for part in cut for at in part.tolist() if spans[at, 0] >= 0]
    assert text == np.flatnonzero(spans[:, 0] >= 0).tolist()
    assert all(len(part) <= reader.TOKENS for part in cut)
    for part in cut:
        first = next((at for at in part.tolist() if spans[at, 0] >= 0), None)
        headed = first is not None and any(spans[:first, 0] < 0)
        assert not headed or spans[part[0], 0] < 0


def test_the_shipped_weights_belong_to_the_built_in_model() -> None:
    assert reader.shipped("another:384:model") is None
    assert reader.WEIGHTS.stat().st_size < 15 << 20


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff" * 4000])
def test_a_damaged_file_means_no_reader(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "reader.safetensors"
    damaged.write_bytes(content)
    for file in (damaged, tmp_path / "missing"):
        monkeypatch.setattr(reader, "WEIGHTS", file)
        assert reader.shipped.__wrapped__("any:384:model") is None


@pytest.mark.usefixtures("bundled")
def test_the_built_in_model_has_a_reader() -> None:
    from core.embedding import EMBEDDERS

    assert reader.shipped(EMBEDDERS.build("bundled").fingerprint) is not None
