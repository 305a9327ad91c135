"""Cards of models, downloads, and tests of models."""

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

from core import embedding
from core.base.errors import ConfigError, ModelError
from core.embedding import Embedder
from core.indexing.models import cards, trials
from core.model import ModelCard
from core.reranking import RERANKERS, cross_encoder
from tests.hub_server import COMMIT, HubServer
from tests.model_server import ModelServer

ROOT = Path(__file__).parents[2]


@pytest.fixture
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Hide the models of this machine except those in packages; return the folder for copied models."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("TESSERA_MODELS_DIR", str(tmp_path / "models"))
    return tmp_path / "models"


def cards_by_name(*names: str) -> dict[str, ModelCard]:
    return {card.name: card for card in cards.cards(names)}


def test_every_row_of_the_tables_has_a_card(empty_machine: Path) -> None:
    kinds = {name.partition(":")[0] for name in cards_by_name()}
    assert kinds >= {"bundled", "onnx", "tfidf", "openai_compatible", *RERANKERS}
    assert {f"cross-encoder:{model}" for model in cross_encoder.RECOMMENDED} <= set(cards_by_name())


def test_the_card_of_the_bundled_model_comes_from_its_folder(bundled: Embedder) -> None:
    card = cards_by_name()["bundled"]
    assert (card.dimension, card.input_tokens, card.problem) == (384, 512, None)
    assert card.folder is not None
    assert card.bytes_on_disk == sum(file.stat().st_size for file in card.folder.rglob("*") if file.is_file())
    assert {"zh", "en"} <= set(card.languages)
    assert card.has_token_vectors
    assert card.running is not None
    assert 50e6 < card.running.bytes < 600e6
    assert card.running.device.reason


def test_the_bundled_model_is_usable_before_it_is_unpacked(empty_machine: Path) -> None:
    card = cards_by_name()["bundled"]
    assert (card.problem, card.folder, card.bytes_on_disk, card.dimension) == (None, None, 0, 384)


def test_the_card_of_a_folder_comes_from_its_files(tiny_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    shutil.copytree(tiny_folder, folder)
    (folder / "README.md").write_text("---\nlanguage:\n- en\n- zh\n- no\n---\n# Tiny")
    card = cards_by_name(f"sentence:{folder}")[f"sentence:{folder}"]
    assert (card.dimension, card.input_tokens, card.languages) == (32, 64, ("en", "zh", "no"))
    assert card.running is None
    assert card.folder == folder


def test_the_card_of_an_unusable_model_says_why(tmp_path: Path) -> None:
    cards = cards_by_name("sentence:/nowhere/at/all", f"cross-encoder:{tmp_path}", "sentence:pkg:no_such_package")
    assert "There is no folder /nowhere/at/all" in str(cards["sentence:/nowhere/at/all"].problem)
    assert "is empty" in str(cards[f"cross-encoder:{tmp_path}"].problem)
    assert "There is no package" in str(cards["sentence:pkg:no_such_package"].problem)
    assert "base_url" in str(cards["openai_compatible"].problem)
    assert "base_url" in str(cards["llm"].problem)


def test_a_configured_server_is_usable_and_gets_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as server:
        for section in ("EMBEDDINGS", "RERANK"):
            monkeypatch.setenv(f"TESSERA_{section}__BASE_URL", server.url)
            monkeypatch.setenv(f"TESSERA_{section}__MODEL", "some-model")
        known = cards_by_name()
        assert (known["openai_compatible"].problem, known["rerank-api"].problem) == (None, None)
        assert known["openai_compatible"].server == f"some-model · {server.url}"
        assert "rerank-api" in cards.usable_rerankers()
        assert server.requests == []


def test_a_model_named_in_two_ways_has_one_card(empty_machine: Path, tiny_folder: Path) -> None:
    shutil.copytree(tiny_folder, empty_machine / "sentence-transformers" / "tiny")
    assert "sentence:sentence-transformers/tiny" in cards_by_name()
    cards = cards_by_name("sentence:tiny")
    assert "sentence:tiny" in cards
    assert "sentence:sentence-transformers/tiny" not in cards


def test_the_error_for_an_unknown_name_gives_examples() -> None:
    with pytest.raises(ConfigError, match="sentence:OWNER/MODEL"):
        cards.card("BAAI/bge-m3")


def test_unknown_kinds_of_models_are_left_out() -> None:
    assert "gone:model" not in cards_by_name("gone:model")


def test_describing_models_imports_no_torch() -> None:
    code = "import sys; from core.indexing.models import cards; cards.cards(); print('torch' in sys.modules)"
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "False"


def test_usable_rerankers(tiny_cross_encoder: Path, empty_machine: Path) -> None:
    assert cards.usable_rerankers() == ["late-interaction", "cross-encoder"]
    own = f"cross-encoder:{tiny_cross_encoder}"
    assert set(cards.usable_rerankers([own])) == {"late-interaction", "cross-encoder", own}


def test_files_copied_into_the_folder_are_a_model(
    empty_machine: Path, tiny_folder: Path, tiny_cross_encoder: Path
) -> None:
    with pytest.raises(ModelError, match=str(empty_machine / "acme" / "tiny")):
        cards.path("sentence:acme/tiny")
    shutil.copytree(tiny_folder, empty_machine / "acme" / "tiny")
    shutil.copytree(tiny_cross_encoder, empty_machine / "acme" / "judge")
    assert cards.path("sentence:acme/tiny") == empty_machine / "acme" / "tiny"
    assert embedding.make("sentence:acme/tiny").dimension == 32
    known = cards_by_name()
    assert (known["sentence:acme/tiny"].problem, known["cross-encoder:acme/judge"].problem) == (None, None)
    assert "cross-encoder:acme/judge" in cards.usable_rerankers()


def test_the_path_of_a_model_without_files_is_an_error(empty_machine: Path) -> None:
    with pytest.raises(ConfigError, match="no files of its own"):
        cards.path("tfidf")
    with pytest.raises(ModelError, match="tessera models download sentence:acme/tiny"):
        cards.path("sentence:acme/tiny")


# from a hub


@pytest.fixture(scope="session")
def served(tiny_folder: Path, tiny_cross_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Models on a hub: an embedder with a card and weights for another engine, and a cross-encoder."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(tiny_folder, folder / "tiny")
    (folder / "tiny" / "README.md").write_text("---\nlanguage: zh\n---\n")
    (folder / "tiny" / "onnx").mkdir()
    (folder / "tiny" / "onnx" / "model.onnx").write_bytes(b"another engine's")
    shutil.copytree(tiny_cross_encoder, folder / "judge")
    return {"acme/tiny": folder / "tiny", "acme/judge": folder / "judge"}


class Machine:
    """A machine of its own: processes with their own hub cache and settings."""

    def __init__(self, folder: Path, url: str, **more: str) -> None:
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")} | {
            "HF_HOME": str(folder / "hf"),
            "HF_ENDPOINT": url,
            "TESSERA_MODELS_DIR": str(folder / "models"),
        }
        self.environment |= more

    def run(self, *arguments: str) -> Any:
        """Run a command; return its JSON output, or (status, stderr) if it fails."""
        command = [
            "-m",
            "core.doors.cli",
            "models",
            *arguments,
            "--workspace",
            str(self.folder / "workspace"),
            "--json",
        ]
        process = self.python(*command)
        return json.loads(process.stdout) if process.returncode == 0 else (process.returncode, process.stderr)

    def python(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )


@pytest.fixture
def hub_server(served: dict[str, Path]) -> Iterator[HubServer]:
    with HubServer(served) as server:
        yield server


def be(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process be one of that machine, so that not each call starts one."""
    from huggingface_hub import constants

    hub = machine.environment["HF_ENDPOINT"]
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(machine.folder / "hf" / "hub"))
    monkeypatch.setattr(constants, "ENDPOINT", hub)
    template = constants.HUGGINGFACE_CO_URL_TEMPLATE.removeprefix(constants._HF_DEFAULT_ENDPOINT)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", hub + template)
    monkeypatch.setenv("TESSERA_MODELS_DIR", machine.environment["TESSERA_MODELS_DIR"])


def test_a_model_is_downloaded_once(hub_server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(tmp_path, hub_server.url)
    downloaded = machine.run("download", "sentence:acme/tiny")
    assert downloaded["folder"].endswith(f"snapshots/{COMMIT}")
    assert not any("model.onnx" in request for request in hub_server.asked)
    requests = len(hub_server.asked)
    be(machine, monkeypatch)
    assert cards.download("sentence:acme/tiny") == Path(downloaded["folder"])
    assert cards.path("sentence:acme/tiny") == Path(downloaded["folder"])
    listed = {model["name"]: model for model in machine.run("list")["models"]}
    assert len(hub_server.asked) == requests
    card = listed["sentence:acme/tiny"]
    assert card["usable"]
    assert (card["dimension"], card["input_tokens"], card["languages"]) == (32, 64, ["zh"])
    assert card["loaded"] is False
    assert card["device"] is None  # torch isn't loaded


def test_a_cross_encoder_is_downloaded_and_offered(
    hub_server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine(tmp_path, hub_server.url)
    be(machine, monkeypatch)
    assert "acme--judge" in str(cards.download("cross-encoder:acme/judge"))
    assert cards_by_name()["cross-encoder:acme/judge"].problem is None
    assert "cross-encoder:acme/judge" in cards.usable_rerankers()
    status, error = machine.run("download", "cross-encoder:acme/tiny")
    assert status == 1
    assert "tiny" in error
    assert "Traceback" not in error


def test_a_download_reports_progress_and_can_be_stopped(served: dict[str, Path], tmp_path: Path) -> None:
    code = """
from core.indexing.models import cards
from core.base.errors import Cancelled
steps = []
def stop(done, total, what):
    if total > 50_000 and done < total:
        raise Cancelled
try:
    cards.download("sentence:acme/tiny", stop)
    print("not stopped")
except Cancelled:
    print("stopped")
print(cards.card("sentence:acme/tiny").problem is not None)
cards.download("sentence:acme/tiny", lambda *how: steps.append(how))
print(all(done <= total and what == "acme/tiny" for done, total, what in steps), steps[-1][0] == steps[-1][1] > 0)
print(cards.card("sentence:acme/tiny").problem or "")
"""
    with HubServer(served, delay=0.05) as server:
        process = Machine(tmp_path, server.url).python("-c", code)
    assert process.stdout.split("\n") == ["stopped", "True", "True True", "", ""], process.stdout + process.stderr


def test_an_incomplete_model_is_recognised_and_completed(
    hub_server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    be(Machine(tmp_path, hub_server.url), monkeypatch)
    folder = cards.download("sentence:acme/tiny")
    (folder / "model.safetensors").unlink()
    card = cards_by_name()["sentence:acme/tiny"]
    assert "tessera models download" in str(card.problem)
    assert card.downloadable
    assert cards.download("sentence:acme/tiny") == folder
    assert (folder / "model.safetensors").is_file()


def test_a_name_that_is_unknown_to_the_hub(
    hub_server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    be(Machine(tmp_path, hub_server.url), monkeypatch)
    with pytest.raises(ModelError, match=r"There is no model 'acme/nothing' on huggingface\.co"):
        cards.download("sentence:acme/nothing")


def test_the_error_of_an_unreachable_hub_names_the_mirror_and_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    be(Machine(tmp_path, "http://127.0.0.1:9"), monkeypatch)
    for name in ("sentence:acme/tiny", "cross-encoder:acme/tiny"):
        with pytest.raises(ModelError) as caught:
            cards.download(name)
        for part in ("HF_ENDPOINT", "http://127.0.0.1:9", str(tmp_path / "models" / "acme" / "tiny")):
            assert part in str(caught.value)


def test_offline_nothing_is_downloaded(hub_server: HubServer, tmp_path: Path) -> None:
    status, error = Machine(tmp_path, hub_server.url, HF_HUB_OFFLINE="1").run("download", "sentence:acme/tiny")
    assert status == 1
    assert "HF_HUB_OFFLINE" in error
    assert hub_server.asked == []


# tests of models


def test_the_bundled_model_ranks_rightly_in_both_languages(bundled: Embedder) -> None:
    trial = trials.run("bundled")
    assert (trial.right, trial.wrong, trial.usable) == (trial.asked, (), True)
    assert trial.dimension == 384
    assert trial.running is not None
    assert trial.seconds_to_load < 5  # loaded before
    assert 0 < trial.seconds_a_text < 5


def test_late_interaction_ranks_rightly_in_both_languages(bundled: Embedder) -> None:
    trial = trials.run("late-interaction")
    assert (trial.part, trial.usable, trial.wrong) == ("reranker", True, ())


def test_words_alone_are_enough_for_the_questions() -> None:
    assert trials.run("tfidf").usable


def test_random_weights_fail_the_test(tiny_folder: Path, tiny_cross_encoder: Path) -> None:
    for name in (f"sentence:{tiny_folder}", f"cross-encoder:{tiny_cross_encoder}"):
        trial = trials.run(name)
        assert trial.wrong
        assert not trial.usable


def test_only_the_stated_languages_must_be_right() -> None:
    english = replace(trials.run("tfidf"), right={"en": 3, "zh": 1})
    assert english.wrong == ("zh",)
    assert not english.usable
    assert not replace(english, languages=()).usable
    assert replace(english, languages=("en",)).usable
    assert not replace(english, languages=("zh",)).usable


def test_a_server_can_be_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as server:
        monkeypatch.setenv("TESSERA_EMBEDDINGS__BASE_URL", server.url)
        monkeypatch.setenv("TESSERA_EMBEDDINGS__MODEL", "hashes")
        trial = trials.run("openai_compatible")
    assert (trial.dimension, trial.running, trial.usable) == (16, None, False)


def test_a_test_downloads_nothing(empty_machine: Path) -> None:
    with pytest.raises(ModelError, match="tessera models download"):
        trials.run(f"cross-encoder:{next(iter(cross_encoder.RECOMMENDED))}")


def test_a_tested_model_is_not_kept(tiny_folder: Path) -> None:
    trials.run(f"sentence:{tiny_folder}")
    assert embedding.built(f"sentence:{tiny_folder}") is None
