"""Models by name, folder or package: loading, fingerprints and errors."""

import json
import sys
from contextlib import nullcontext
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from core.base.errors import ConfigError, ModelError, UnknownChoice
from core.embedding import build, e5, loading, sentence
from core.embedding.loading import choose_device, load
from core.embedding.sentence import FEW
from core.embedding.sentence import build as build_sentence
from core.embedding.sentence import build_bundled as build_bundled
from core.model import Device
from tests import tiny_models


@pytest.mark.skipif(not e5.is_available(), reason="no packaged model on this platform")
def test_the_converted_folder_is_a_model_like_any_other(bundled):
    folder = build_sentence(str(e5.ensure_folder()))
    assert (folder.dimension, folder.input_tokens) == (bundled.dimension, bundled.input_tokens)
    for role in ("note", "query"):
        # While torch isn't loaded, a few texts are embedded without it; bfloat16 differs from that.
        assert np.allclose(folder.embed(["备份"], role=role), bundled.embed(["备份"], role=role), atol=3e-3)


@pytest.mark.parametrize("library", ["torch", "sentence_transformers"])
def test_a_library_that_cannot_be_loaded_is_named(library, tiny_folder, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr(loading, "CPU_INFO", Path("nowhere"))
    if library != "torch":  # torch is needed to choose a device
        monkeypatch.setattr(sentence, "choose_device", lambda: Device("cpu", "bfloat16", ""))
    with pytest.raises(ModelError, match=f"{library}, which models need, can't be loaded"):
        build_sentence(str(tiny_folder)).load_fastest()


@pytest.mark.skipif(not version("torch").endswith("+cpu"), reason="this torch may find a graphics card")
@pytest.mark.parametrize(("features", "needs_torch"), [("fpu avx2 fma", False), ("fpu avx2 amx_bf16", True)])
def test_a_processor_without_bfloat16_is_known_without_torch(tmp_path, monkeypatch, features, needs_torch):
    file = tmp_path / "cpuinfo"
    file.write_text(f"processor\t: 0\nflags\t\t: {features}\n", encoding="utf-8")
    monkeypatch.setattr(loading, "CPU_INFO", file)
    monkeypatch.setattr(loading, "machine", lambda: "x86_64")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModelError, match="torch, which models need, can't be loaded") if needs_torch else nullcontext():
        assert choose_device().dtype == "float32"


def test_meaning_across_languages(bundled):
    notes = bundled.embed(["数据库备份与恢复的步骤", "今天的晚饭是红烧肉", "The weather in Rome"], role="note")
    question = bundled.embed(["How can I restore my database?"], role="query")
    assert (notes @ question[0]).argmax() == 0


def test_a_question_that_is_too_long_is_embedded_once(tiny_folder, monkeypatch):
    embedder = build_sentence(str(tiny_folder))
    runs = []
    embed = type(embedder)._embed
    monkeypatch.setattr(
        type(embedder),
        "_embed",
        lambda self, texts, *role, **how: runs.append(texts) or embed(self, texts, *role, **how),
    )
    question = "a b c " * 2000
    read = question[: int(embedder.tokens(question)[embedder.input_tokens - 1, 1])]
    (whole,), (part,) = (embedder.embed([text], role="query") for text in (question, read))
    embedder.embed_tokens([question], role="query")
    assert runs == [[read]]
    assert np.array_equal(whole, part)


def test_a_folder_loads_and_embeds_without_any_network(tiny_folder):
    assert build_sentence(str(tiny_folder)).embed(["x"], role="note").shape == (1, 32)
    if e5.is_available():
        fresh = build_bundled()
        fresh.warm()
        assert fresh.embed(["x"], role="note").shape == (1, 384)


def test_building_reads_json_files_and_imports_no_torch(tiny_folder):
    import subprocess

    code = (
        "import sys; from core.embedding import build\n"
        f"one = build('bundled'); other = build('sentence:{tiny_folder}')\n"
        "print(one.dimension, other.dimension, other.input_tokens, len(other.tokens('a b')))\n"
        "assert one.fingerprint and other.fingerprint\n"
        "assert not {'torch', 'transformers', 'sentence_transformers'} & sys.modules.keys()"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert process.stdout.split() == ["384", "32", "61", "2"]


def changed(folder: Path, to: Path, name: str, content: str | None) -> Path:
    """A copy of the folder with one file changed, or removed."""
    import shutil

    shutil.copytree(folder, to)
    (to / name).unlink() if content is None else (to / name).write_text(content, encoding="utf-8")
    return to


def test_prompts_change_vectors_and_fingerprint(tiny_folder, tmp_path):
    own = json.dumps({"prompts": {"query": "q", "document": ""}})
    prompted = build_sentence(str(changed(tiny_folder, tmp_path / "model", "config_sentence_transformers.json", own)))
    query, note = (prompted.embed(["backup"], role=role) for role in ("query", "note"))
    assert not np.allclose(query, note, atol=1e-2)
    assert np.allclose(note, build_sentence(str(tiny_folder)).embed(["backup"], role="note"), atol=1e-2)
    assert prompted.fingerprint != build_sentence(str(tiny_folder)).fingerprint


def test_fingerprint_follows_the_weights_not_the_place(tiny_folder, tmp_path):
    import shutil

    copy = shutil.copytree(tiny_folder, tmp_path / "elsewhere" / tiny_folder.name)
    assert build_sentence(str(copy)).fingerprint == build_sentence(str(tiny_folder)).fingerprint
    weights = copy / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert build_sentence(str(copy)).fingerprint != build_sentence(str(tiny_folder)).fingerprint


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("modules.json", None, "not a sentence-transformers model"),
        ("modules.json", "{", "isn't in a format that Tessera knows"),
        ("modules.json", "[]", "isn't in a format that Tessera knows"),
        ("modules.json", '[{"type": "custom_st.Transformer", "path": ""}]', "its own code"),
        ("config.json", "[]", "isn't in a format that Tessera knows"),
        ("tokenizer.json", None, "no tokenizer.json"),
        ("model.safetensors", None, "no weights"),
        ("config_sentence_transformers.json", '{"model_type": "CrossEncoder"}', "write cross-encoder:/"),
        ("config_sentence_transformers.json", '{"model_type": "SparseEncoder"}', "is a SparseEncoder"),
        ("modules.json", '[{"type": "sentence_transformers.models.Transformer", "path": ""}]', "no Pooling"),
    ],
)
def test_a_folder_that_is_no_model_is_refused_at_once(tiny_folder, tmp_path, name, content, error):
    folder = changed(tiny_folder, tmp_path / "model", name, content)
    with pytest.raises(ModelError, match=error):
        build(f"sentence:{folder}")


def test_damaged_files_are_reported_at_their_first_use(tiny_folder, tmp_path):
    broken = build(f"sentence:{changed(tiny_folder, tmp_path / 'a', 'tokenizer.json', '{}')}")
    with pytest.raises(ModelError, match=r"tokenizer\.json is damaged"):
        broken.tokens("x")
    broken = build(f"sentence:{changed(tiny_folder, tmp_path / 'b', 'model.safetensors', 'x')}")
    with pytest.raises(ModelError, match="can't be loaded"):
        broken.embed(["x"], role="note")


def test_weights_of_another_architecture_are_refused_at_loading(tiny_folder, tmp_path):
    config = json.loads((tiny_folder / "config.json").read_text(encoding="utf-8"))
    others = [
        ({"model_type": "no_progress-of"}, "can't be loaded"),
        ({"hidden_size": 64, "num_attention_heads": 4}, "can't be loaded"),
        ({"num_hidden_layers": 3}, r"don't match its config\.json: encoder\.layer\.2\."),
        ({"model_type": "distilbert", "dim": 32, "n_heads": 2, "n_layers": 2}, "don't match"),
    ]
    for number, (change, error) in enumerate(others):
        folder = changed(tiny_folder, tmp_path / str(number), "config.json", json.dumps(config | change))
        with pytest.raises(ModelError, match=error):
            build(f"sentence:{folder}").embed(["x"], role="note")


def test_a_wrong_dimension_in_the_folder_is_refused(tiny_folder, tmp_path):
    pooling = next(tiny_folder.glob("*_Pooling")).name + "/config.json"
    options = json.loads((tiny_folder / pooling).read_text(encoding="utf-8")) | {"embedding_dimension": 48}
    embedder = build(f"sentence:{changed(tiny_folder, tmp_path / 'model', pooling, json.dumps(options))}")
    with pytest.raises(ModelError, match="returns 32 numbers per text, but its folder specifies 48"):
        embedder.embed(["x"], role="note")


def test_loading_prints_nothing_and_restores_the_log(tiny_folder, capfd):
    import logging

    from transformers.utils import logging as settings

    before = settings.get_verbosity(), logging.getLogger("transformers.modeling_utils").level
    build_sentence(str(tiny_folder)).warm()
    assert (settings.get_verbosity(), logging.getLogger("transformers.modeling_utils").level) == before
    assert capfd.readouterr() == ("", "")


def test_vectors_that_are_not_numbers_are_refused(tiny_folder, tmp_path):
    from safetensors.numpy import load_file, save_file

    folder = changed(tiny_folder, tmp_path / "model", "README.md", "")
    tensors = load_file(folder / "model.safetensors")
    tensors["embeddings.LayerNorm.bias"] = np.full_like(tensors["embeddings.LayerNorm.bias"], np.nan)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="aren't numbers"):
        build(f"sentence:{folder}").embed(["x"], role="note")


@pytest.mark.parametrize("name", ["sentence:/no/such/folder", "sentence:./nothing", "sentence:C:\\models\\x"])
def test_a_path_without_a_model_is_a_model_error(name):
    with pytest.raises(ModelError, match="There is no folder"):
        build(name)


def test_impossible_names_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="sentence:BAAI/bge-m3"):
        build("sentence")
    with pytest.raises(UnknownChoice, match="Did you mean 'bundled'"):
        build("bundle")
    with pytest.raises(ModelError, match=r"has no modules\.json"):
        build(f"sentence:{tmp_path}")


def test_the_error_of_an_unreachable_hub_names_the_mirror_setting(monkeypatch, tmp_path):
    tiny_models.no_hub(tmp_path, monkeypatch)
    with pytest.raises(ModelError, match=r"and http://127\.0\.0\.1:9 can't be reached.*HF_ENDPOINT"):
        build("sentence:BAAI/bge-m3").embed(["x"], role="note")


def test_a_model_in_the_hub_cache_needs_no_hub(monkeypatch, tmp_path, tiny_folder):
    tiny_models.cached(tiny_folder, "sentence-transformers/tiny", tmp_path, monkeypatch)
    embedder = build("sentence:tiny")
    assert embedder.embed(["x"], role="note").shape == (1, 32)
    assert embedder.fingerprint.startswith("sentence-transformers/tiny@")


def test_an_incomplete_model_in_the_hub_cache_is_refused(monkeypatch, tmp_path, tiny_folder):
    index = json.dumps({"weight_map": {"a": "model.safetensors", "b": "model-00002-of-00002.safetensors"}})
    part = changed(tiny_folder, tmp_path / "part", "model.safetensors.index.json", index)
    tiny_models.cached(part, "sentence-transformers/part", tmp_path / "cache", monkeypatch)
    with pytest.raises(
        ModelError, match=r"is missing model-00002-of-00002\.safetensors\. Either its download was interrupted"
    ):
        build("sentence:part").embed(["x"], role="note")
    (part / "modules.json").unlink()
    tiny_models.cached(part, "sentence-transformers/other", tmp_path / "cache", monkeypatch)
    with pytest.raises(ModelError, match=r"is missing modules\.json"):
        build("sentence:other").embed(["x"], role="note")


@pytest.mark.parametrize("lower_case", [False, True])
def test_vectors_are_those_of_the_library_which_reads_no_tokenizer(
    tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, lower_case: bool
) -> None:
    options = json.dumps({"max_seq_length": 16, "do_lower_case": lower_case})
    folder = changed(tiny_folder, tmp_path / "e5 tiny", "sentence_bert_config.json", options)
    exact = Device("cpu", "float32", "")
    monkeypatch.setattr(sentence, "choose_device", lambda: exact)
    embedder = build_sentence(str(folder))
    texts = ["A Backup", "", "longer than the model reads " * 4, *map(str, range(FEW))]
    theirs = load("SentenceTransformer", folder, "tiny", exact)
    expected = theirs.encode(texts, prompt="passage: ", normalize_embeddings=True)
    assert np.allclose(embedder.embed(texts, role="note"), expected, atol=1e-6)
    assert np.allclose(embedder.embed(embedder.ids(texts, role="note"), role="note"), expected, atol=1e-6)
    assert len(embedder.loaded().tokenizer) < len(theirs.tokenizer)


def test_word_vectors_stay_as_their_file_has_them(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence, "choose_device", lambda: Device("cpu", "bfloat16", ""))
    embedder = build_sentence(str(tiny_folder))
    transformer = embedder.loaded()[0].auto_model
    words = transformer.get_input_embeddings().weight
    assert str(words.dtype) == "torch.float32"
    assert {str(weights.dtype) for weights in transformer.parameters() if weights is not words} == {"torch.bfloat16"}
    assert np.isfinite(embedder.embed(["a word"] * (FEW + 1), role="note")).all()
