"""Cross-encoders by name and folder: input, scores and errors."""

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from core.base.errors import ModelError
from core.model import Device
from core.reranking import Candidate, build, cross_encoder
from core.reranking.cross_encoder import RECOMMENDED, CrossEncoder
from tests import tiny_models
from tests.growth import assert_linear

EXACT = Device("cpu", "float32", "")
ROUGH = Device("cpu", "bfloat16", "")
WORDS = [Candidate(f"{letter}{digit}") for letter in "abcdefgh" for digit in range(5)]


@pytest.fixture(autouse=True)
def _exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every model compute in float32, on every machine."""
    monkeypatch.setattr(cross_encoder, "choose_device", lambda: EXACT)


def changed(folder: Path, to: Path, name: str, content: str | None) -> Path:
    """A copy of the folder with one file changed, or removed."""
    shutil.copytree(folder, to)
    (to / name).unlink() if content is None else (to / name).write_text(content, encoding="utf-8")
    return to


def model_input(model: CrossEncoder, query: str, text: str) -> str:
    """Return the tokens that the model reads of a pair."""
    tokens: list[str] = []
    tokenizer = model._model.tokenizer
    preprocess = model._model.preprocess

    def listen(pairs: list[tuple[str, str]]) -> object:
        features = preprocess(pairs)
        tokens.extend(tokenizer.convert_ids_to_tokens(features["input_ids"][0].tolist()))
        return features

    model._model.preprocess = listen
    model.score(query, [Candidate(text)])
    model._model.preprocess = preprocess
    return " ".join(tokens).replace(" ##", "")


def test_scores_are_those_of_the_library(tiny_cross_encoder: Path) -> None:
    import sentence_transformers

    theirs = sentence_transformers.CrossEncoder(str(tiny_cross_encoder), device="cpu", local_files_only=True)
    expected = theirs.predict([("where", candidate.text) for candidate in WORDS])
    assert CrossEncoder(str(tiny_cross_encoder)).score("where", WORDS) == pytest.approx(expected.tolist(), abs=1e-5)


def test_a_folder_saved_by_sentence_transformers_scores_the_same(tiny_cross_encoder: Path, tmp_path: Path) -> None:
    import sentence_transformers

    sentence_transformers.CrossEncoder(str(tiny_cross_encoder), device="cpu", local_files_only=True).save(
        str(tmp_path / "saved")
    )
    scores = [CrossEncoder(str(folder)).score("where", WORDS) for folder in (tiny_cross_encoder, tmp_path / "saved")]
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)


def test_scores_in_16_bits_are_distinct_and_close(tiny_cross_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = CrossEncoder(str(tiny_cross_encoder)).score("where", WORDS)
    monkeypatch.setattr(cross_encoder, "choose_device", lambda: ROUGH)
    rough = CrossEncoder(str(tiny_cross_encoder)).score("where", WORDS)
    assert len(set(rough)) == len(set(exact)) == len(WORDS)
    assert rough == pytest.approx(exact, abs=0.1)
    assert rough != exact


def test_saturated_scores_are_distinct(
    tiny_cross_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from safetensors.numpy import load_file, save_file

    folder = shutil.copytree(tiny_cross_encoder, tmp_path / "sure")
    tensors = load_file(folder / "model.safetensors")
    tensors["classifier.bias"] = np.full_like(tensors["classifier.bias"], 20)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    monkeypatch.setattr(cross_encoder, "choose_device", lambda: ROUGH)
    scores = CrossEncoder(str(folder)).score("where", WORDS)
    assert min(score for score in scores if score is not None) > 0.9999
    assert len(set(scores)) == len(WORDS)


def test_only_the_passage_is_cut(tiny_cross_encoder: Path) -> None:
    model = CrossEncoder(str(tiny_cross_encoder))
    assert model_input(model, "who", "a b c") == "[CLS] who [SEP] a b c [SEP]"
    read = model_input(model, "a question of mine", "z " * 1000).split()
    assert read[:6] == ["[CLS]", "a", "question", "of", "mine", "[SEP]"]
    assert set(read[6:-1]) == {"z"}
    assert len(" ".join(read).replace("[CLS]", "c").replace("[SEP]", "s").replace(" ", "")) == tiny_models.MAX_TOKENS


def test_a_long_question_takes_at_most_half_beside_a_long_passage(tiny_cross_encoder: Path) -> None:
    read = model_input(CrossEncoder(str(tiny_cross_encoder)), "q " * 1000, "z " * 1000).split()
    room = tiny_models.MAX_TOKENS - 3
    assert {read.count("q"), read.count("z")} == {room // 2, room - room // 2}
    read = model_input(CrossEncoder(str(tiny_cross_encoder)), "q " * 40, "z " * 10).split()
    assert (read.count("q"), read.count("z")) == (40, 10)


def test_candidates_beyond_the_time_limit_have_no_score(
    tiny_cross_encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cross_encoder, "SECONDS", 0)
    hurried = CrossEncoder(str(tiny_cross_encoder))
    scores = hurried.score("where", WORDS)
    assert None not in scores[:8]
    assert set(scores[8:]) == {None}


def test_one_thread_at_a_time_runs_the_model(tiny_cross_encoder: Path) -> None:
    model = CrossEncoder(str(tiny_cross_encoder))
    preprocess, running, most = model._model.preprocess, [], []

    def listen(pairs: list[tuple[str, str]]) -> object:
        running.append(pairs)
        most.append(len(running))
        time.sleep(0.01)
        features = preprocess(pairs)
        running.pop()
        return features

    model._model.preprocess = listen
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: model.score("where", WORDS), range(4)))
    assert set(most) == {1}


def test_a_pool_of_long_texts_is_linear_in_their_length(tiny_cross_encoder: Path) -> None:
    model = CrossEncoder(str(tiny_cross_encoder))
    model.warm()
    assert_linear(lambda text: model.score("where", [Candidate(text)]), "word " * 100_000)


def test_building_imports_no_torch(tiny_cross_encoder: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; from core.reranking import build\n"
        f"print(build('cross-encoder:{tiny_cross_encoder}').name)\n"
        "assert not {'torch', 'transformers', 'sentence_transformers'} & sys.modules.keys()"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert process.stdout.strip() == "bert"


def test_a_model_in_the_hub_cache_needs_no_hub(
    tiny_cross_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_models.cached(tiny_cross_encoder, "cross-encoder/tiny", tmp_path, monkeypatch)
    model = CrossEncoder("tiny")
    assert model.score("x", WORDS) == CrossEncoder(str(tiny_cross_encoder)).score("x", WORDS)
    assert model.name == "cross-encoder/tiny"
    with pytest.raises(ModelError, match="can't be reached"):
        CrossEncoder("no/such").warm()


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("config.json", None, "has no config.json"),
        ("config.json", "{", "isn't in a format that Tessera knows"),
        ("config.json", "[]", "isn't in a format that Tessera knows"),
        ("model.safetensors", None, "no weights"),
        ("modules.json", "[]", "isn't in a format that Tessera knows"),
    ],
)
def test_a_folder_that_is_no_model_is_refused_at_once(
    tiny_cross_encoder: Path, tmp_path: Path, name: str, content: str | None, error: str
) -> None:
    with pytest.raises(ModelError, match=error):
        build(f"cross-encoder:{changed(tiny_cross_encoder, tmp_path / 'model', name, content)}")


def test_other_models_are_refused_at_once(tiny_folder: Path, tmp_path: Path) -> None:
    refused = r"is a BertModel, which doesn't compare a question.*cross-encoder:BAAI/bge-reranker"
    with pytest.raises(ModelError, match=refused):
        build(f"cross-encoder:{tiny_folder}")
    for labels in (2, 3):
        folder = tiny_models.cross_encoder(tmp_path / str(labels), labels=labels)
        with pytest.raises(ModelError, match=f"returns {labels} scores instead of one"):
            build(f"cross-encoder:{folder}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="is empty"):
        build(f"cross-encoder:{tmp_path / 'empty'}")
    with pytest.raises(ModelError, match="There is no folder"):
        build("cross-encoder:/no/such/folder")


@pytest.mark.parametrize("part", ["classifier.", "bert.pooler."])
def test_weights_without_a_head_are_refused_at_loading(tiny_cross_encoder: Path, tmp_path: Path, part: str) -> None:
    from safetensors.numpy import load_file, save_file

    folder = shutil.copytree(tiny_cross_encoder, tmp_path / "headless")
    tensors = load_file(folder / "model.safetensors")
    left = {name: value for name, value in tensors.items() if not name.startswith(part)}
    save_file(left, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=f"don't match its config.json: {part}"):
        CrossEncoder(str(folder)).warm()


def test_scores_that_are_not_numbers_are_refused(tiny_cross_encoder: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    folder = shutil.copytree(tiny_cross_encoder, tmp_path / "damaged")
    tensors = load_file(folder / "model.safetensors")
    tensors["classifier.bias"] = np.full_like(tensors["classifier.bias"], np.nan)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="aren't numbers"):
        CrossEncoder(str(folder)).warm()


def test_recommended_models_are_named_as_the_hub_names_them() -> None:
    assert [name.count("/") for name in RECOMMENDED] == [1, 1, 1]
    assert all(megabytes and languages for megabytes, languages in RECOMMENDED.values())
