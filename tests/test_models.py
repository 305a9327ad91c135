"""Which models there are, what is told of them, how one is had, and whether it works."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core import embedding, models, trials
from core.embedding import Embedder
from core.errors import ConfigError, ModelError
from core.reranking import RERANKERS, cross_encoder
from tests.hub_server import COMMIT, HubServer
from tests.model_server import ModelServer

ROOT = Path(__file__).parents[1]


@pytest.fixture
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No model is on this machine but those in packages; where models are put by hand."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("TESSERA_MODELS_DIR", str(tmp_path / "models"))
    return tmp_path / "models"


def named(*names: str) -> dict[str, models.ModelCard]:
    return {card.name: card for card in models.cards(names)}


def test_every_row_of_the_tables_has_a_card(empty_machine: Path) -> None:
    kinds = {name.partition(":")[0] for name in named()}
    assert kinds >= {"bundled", "onnx", "tfidf", "openai_compatible", *RERANKERS}
    assert {f"cross-encoder:{known.name}" for known in cross_encoder.RECOMMENDED} <= set(named())


def test_the_bundled_model_tells_what_its_folder_says(bundled: Embedder) -> None:
    card = named()["bundled"]
    assert (card.dimension, card.input_tokens, card.problem) == (384, 512, "")
    assert card.folder is not None
    assert card.bytes_on_disk == sum(file.stat().st_size for file in card.folder.rglob("*") if file.is_file())
    assert {"zh", "en"} <= set(card.languages)
    assert card.tells_tokens
    assert card.running is not None
    assert 100e6 < card.running.bytes < 600e6
    assert card.running.device.reason


def test_the_bundled_model_is_there_before_it_is_unpacked(empty_machine: Path) -> None:
    card = named()["bundled"]
    assert (card.problem, card.folder, card.bytes_on_disk, card.dimension) == ("", None, 0, 384)


def test_a_folder_tells_its_own_facts(tiny_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    shutil.copytree(tiny_folder, folder)
    (folder / "README.md").write_text("---\nlanguage:\n- en\n- zh\n- no\n---\n# Tiny")
    card = named(f"sentence:{folder}")[f"sentence:{folder}"]
    assert (card.dimension, card.input_tokens, card.languages) == (32, 64, ("en", "zh", "no"))
    assert card.running is None
    assert card.folder == folder


def test_what_cant_be_used_says_why(tmp_path: Path) -> None:
    cards = named("sentence:/nowhere/at/all", f"cross-encoder:{tmp_path}", "sentence:pkg:no_such_package")
    assert "There is no folder /nowhere/at/all" in cards["sentence:/nowhere/at/all"].problem
    assert "is empty" in cards[f"cross-encoder:{tmp_path}"].problem
    assert "No package" in cards["sentence:pkg:no_such_package"].problem
    assert "base_url" in cards["openai_compatible"].problem
    assert "base_url" in cards["llm"].problem


def test_a_server_that_is_configured_is_usable_and_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as server:
        for section in ("EMBEDDINGS", "RERANK"):
            monkeypatch.setenv(f"TESSERA_{section}__BASE_URL", server.url)
            monkeypatch.setenv(f"TESSERA_{section}__MODEL", "some-model")
        cards = named()
        assert (cards["openai_compatible"].problem, cards["rerank-api"].problem) == ("", "")
        assert cards["openai_compatible"].server == f"some-model · {server.url}"
        assert "rerank-api" in models.usable_rerankers()
        assert server.requests == []


def test_a_model_named_in_two_ways_has_one_card(empty_machine: Path, tiny_folder: Path) -> None:
    shutil.copytree(tiny_folder, empty_machine / "sentence-transformers" / "tiny")
    assert "sentence:sentence-transformers/tiny" in named()
    found = named("sentence:tiny")
    assert "sentence:tiny" in found
    assert "sentence:sentence-transformers/tiny" not in found


def test_a_name_of_neither_table_is_told_how_to_write_it() -> None:
    with pytest.raises(ConfigError, match="sentence:OWNER/MODEL"):
        models.card("BAAI/bge-m3")


def test_what_another_installation_named_is_left_out() -> None:
    assert "gone:model" not in named("gone:model")


def test_telling_of_models_loads_none() -> None:
    code = "import sys; from core import models; models.cards(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_rerankers_that_can_be_used_now(tiny_cross_encoder: Path, empty_machine: Path) -> None:
    assert models.usable_rerankers() == ["late-interaction", "cross-encoder"]
    own = f"cross-encoder:{tiny_cross_encoder}"
    assert set(models.usable_rerankers([own])) == {"late-interaction", "cross-encoder", own}


def test_files_put_in_place_by_hand_are_the_model(
    empty_machine: Path, tiny_folder: Path, tiny_cross_encoder: Path
) -> None:
    with pytest.raises(ModelError, match=str(empty_machine / "acme" / "tiny")):
        models.path("sentence:acme/tiny")
    shutil.copytree(tiny_folder, empty_machine / "acme" / "tiny")
    shutil.copytree(tiny_cross_encoder, empty_machine / "acme" / "judge")
    assert models.path("sentence:acme/tiny") == empty_machine / "acme" / "tiny"
    assert embedding.make("sentence:acme/tiny").dimension == 32
    cards = named()
    assert (cards["sentence:acme/tiny"].problem, cards["cross-encoder:acme/judge"].problem) == ("", "")
    assert "cross-encoder:acme/judge" in models.usable_rerankers()


def test_the_path_of_what_has_no_files(empty_machine: Path) -> None:
    with pytest.raises(ConfigError, match="no files of its own"):
        models.path("tfidf")
    with pytest.raises(ModelError, match="tessera models download sentence:acme/tiny"):
        models.path("sentence:acme/tiny")


# from a hub


@pytest.fixture(scope="session")
def served(tiny_folder: Path, tiny_cross_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A hub's models: with a card, other engines' weights, and one that is of no use."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(tiny_folder, folder / "tiny")
    (folder / "tiny" / "README.md").write_text("---\nlanguage: zh\n---\n")
    (folder / "tiny" / "onnx").mkdir()
    (folder / "tiny" / "onnx" / "model.onnx").write_bytes(b"another engine's")
    shutil.copytree(tiny_cross_encoder, folder / "judge")
    return {"acme/tiny": folder / "tiny", "acme/judge": folder / "judge"}


class Machine:
    """Another machine: processes with a hub's cache and settings of their own."""

    def __init__(self, folder: Path, url: str, **more: str) -> None:
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")} | {
            "HF_HOME": str(folder / "hf"),
            "HF_ENDPOINT": url,
            "TESSERA_MODELS_DIR": str(folder / "models"),
        }
        self.environment |= more

    def run(self, *arguments: str) -> Any:
        """Return what a command printed as JSON; a failure is (status, stderr)."""
        command = ["-m", "core.cli", "models", *arguments, "--workspace", str(self.folder / "workspace"), "--json"]
        done = self.python(*command)
        return json.loads(done.stdout) if done.returncode == 0 else (done.returncode, done.stderr)

    def python(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )


@pytest.fixture
def hub_server(served: dict[str, Path]) -> Iterator[HubServer]:
    with HubServer(served) as server:
        yield server


def test_a_model_is_downloaded_once_and_then_there(hub_server: HubServer, tmp_path: Path) -> None:
    machine = Machine(tmp_path, hub_server.url)
    got = machine.run("download", "sentence:acme/tiny")
    assert got["folder"].endswith(f"snapshots/{COMMIT}")
    assert not any("model.onnx" in asked for asked in hub_server.asked)
    asked = len(hub_server.asked)
    assert machine.run("download", "sentence:acme/tiny") == got
    assert machine.run("path", "sentence:acme/tiny") == got
    listed = {model["name"]: model for model in machine.run("list")["models"]}
    assert len(hub_server.asked) == asked
    card = listed["sentence:acme/tiny"]
    assert card["usable"]
    assert (card["dimension"], card["input_tokens"], card["languages"]) == (32, 64, ["zh"])
    assert card["loaded"] is False
    assert set(card["device"]) == {"name", "dtype", "reason"}


def test_a_cross_encoder_is_downloaded_and_offered(hub_server: HubServer, tmp_path: Path) -> None:
    machine = Machine(tmp_path, hub_server.url)
    assert "acme--judge" in machine.run("download", "cross-encoder:acme/judge")["folder"]
    assert {model["name"]: model["usable"] for model in machine.run("list")["models"]}["cross-encoder:acme/judge"]
    status, error = machine.run("download", "cross-encoder:acme/tiny")
    assert status == 1
    assert "tiny" in error
    assert "Traceback" not in error


def test_a_download_tells_how_far_it_is_and_can_be_stopped(served: dict[str, Path], tmp_path: Path) -> None:
    code = """
from core import models
from core.errors import Cancelled
told = []
def stop(done, total, what):
    if total > 50_000 and done < total:
        raise Cancelled
try:
    models.download("sentence:acme/tiny", stop)
    print("not stopped")
except Cancelled:
    print("stopped")
print(models.card("sentence:acme/tiny").problem != "")
models.download("sentence:acme/tiny", lambda *how: told.append(how))
print(all(done <= total and what == "acme/tiny" for done, total, what in told), told[-1][0] == told[-1][1] > 0)
print(models.card("sentence:acme/tiny").problem)
"""
    with HubServer(served, delay=0.05) as server:
        done = Machine(tmp_path, server.url).python("-c", code)
    assert done.stdout.split("\n") == ["stopped", "True", "True True", "", ""], done.stdout + done.stderr


def test_a_part_of_a_model_is_told_apart_and_completed(hub_server: HubServer, tmp_path: Path) -> None:
    machine = Machine(tmp_path, hub_server.url)
    folder = Path(machine.run("download", "sentence:acme/tiny")["folder"])
    (folder / "model.safetensors").unlink()
    card = {model["name"]: model for model in machine.run("list")["models"]}["sentence:acme/tiny"]
    assert not card["usable"]
    assert "Only a part" in card["problem"]
    assert card["downloadable"]
    machine.run("download", "sentence:acme/tiny")
    assert (folder / "model.safetensors").is_file()


def test_a_name_that_the_hub_doesnt_know(hub_server: HubServer, tmp_path: Path) -> None:
    status, error = Machine(tmp_path, hub_server.url).run("download", "sentence:acme/nothing")
    assert status == 1
    assert "The hub has no model 'acme/nothing'" in error


def test_out_of_reach_it_names_the_mirror_and_the_folder(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "http://127.0.0.1:9")
    for name in ("sentence:acme/tiny", "cross-encoder:acme/tiny"):
        status, error = machine.run("download", name)
        assert status == 1
        assert "HF_ENDPOINT" in error
        assert "http://127.0.0.1:9" in error
        assert str(tmp_path / "models" / "acme" / "tiny") in error


def test_offline_is_honoured_and_said(hub_server: HubServer, tmp_path: Path) -> None:
    status, error = Machine(tmp_path, hub_server.url, HF_HUB_OFFLINE="1").run("download", "sentence:acme/tiny")
    assert status == 1
    assert "HF_HUB_OFFLINE" in error
    assert hub_server.asked == []


# whether it works


def test_the_bundled_model_ranks_rightly_in_both_languages(bundled: Embedder) -> None:
    trial = trials.run("bundled")
    assert (trial.right, trial.wrong, trial.usable) == (trial.asked, (), True)
    assert trial.dimension == 384
    assert trial.running is not None
    assert trial.seconds_to_load < 5  # it is loaded already
    assert 0 < trial.seconds_a_text < 5


def test_late_interaction_ranks_rightly_in_both_languages(bundled: Embedder) -> None:
    trial = trials.run("late-interaction")
    assert (trial.part, trial.usable, trial.wrong) == ("reranker", True, ())


def test_words_alone_are_enough_for_the_questions() -> None:
    assert trials.run("tfidf").usable


def test_random_weights_are_told_from_a_model(tiny_folder: Path, tiny_cross_encoder: Path) -> None:
    for name in (f"sentence:{tiny_folder}", f"cross-encoder:{tiny_cross_encoder}"):
        trial = trials.run(name)
        assert trial.wrong
        assert not trial.usable


def test_a_model_need_not_know_more_than_it_says() -> None:
    english = replace(trials.run("tfidf"), right={"en": 3, "zh": 1})
    assert english.wrong == ("zh",)
    assert not english.usable
    assert not replace(english, languages=()).usable
    assert replace(english, languages=("en",)).usable
    assert not replace(english, languages=("zh",)).usable


def test_a_server_is_tried_as_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as server:
        monkeypatch.setenv("TESSERA_EMBEDDINGS__BASE_URL", server.url)
        monkeypatch.setenv("TESSERA_EMBEDDINGS__MODEL", "hashes")
        trial = trials.run("openai_compatible")
    assert (trial.dimension, trial.running, trial.usable) == (16, None, False)


def test_a_test_downloads_nothing(empty_machine: Path) -> None:
    with pytest.raises(ModelError, match="tessera models download"):
        trials.run(f"cross-encoder:{cross_encoder.RECOMMENDED[0].name}")


def test_a_model_that_is_only_tried_goes_again(tiny_folder: Path) -> None:
    trials.run(f"sentence:{tiny_folder}")
    assert embedding.built(f"sentence:{tiny_folder}") is None
