"""What every embedder of the table does."""

import json
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from core.embedding import EMBEDDERS, Embedder, build, e5
from core.embedding.bundled import Bundled
from core.embedding.sentence import Sentence
from core.errors import ConfigError, ModelError, UnknownChoice

TEXTS = [
    "How do I restore a backup?",
    "如何恢复数据库的备份？",
    "🚀 emoji 👩\u200d👩\u200d👧",
    "a",
    "",
    "long " * 300,
    "A fence:\n\n```python\nprint('x')\n```\n",
    "half \ud83d a character",
]


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory) -> Path:
    """A small BERT with random weights, saved the way sentence-transformers saves."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    letters = [chr(code) for code in range(33, 127)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{letter}" for letter in letters), "backup"]
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=64,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    ).save_pretrained(folder / "bert")
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        initializer_range=0.5,
    )
    BertModel(config).save_pretrained(folder / "bert")
    transformer = Transformer(str(folder / "bert"), model_kwargs={"local_files_only": True})
    SentenceTransformer(modules=[transformer, Pooling(32, "cls")], device="cpu").save(str(folder / "model"))
    return folder / "model"


@pytest.fixture(params=["bundled", "sentence"])
def embedder(request, bundled, tiny_folder) -> Embedder:
    return bundled if request.param == "bundled" else Sentence(str(tiny_folder))


def test_the_whole_table_is_tested():
    assert set(EMBEDDERS) == {"bundled", "sentence"}


def test_rows_are_float32_of_unit_length(embedder):
    for role in ("note", "query"):
        vectors = embedder.embed(TEXTS, role=role)
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_nothing_gives_nothing(embedder):
    assert embedder.embed([], role="note").shape == (0, embedder.dimension)


def test_batch_equals_singles_in_order(embedder):
    together = embedder.embed(TEXTS, role="note")
    alone = np.concatenate([embedder.embed([text], role="note") for text in TEXTS])
    assert (together * alone).sum(axis=1).min() > 0.995  # bfloat16 rounds by the shape of a batch
    closest = (together @ alone.T).argmax(axis=1)
    assert closest.tolist() == list(range(len(TEXTS)))


def test_same_text_same_vector(embedder):
    first, second = (embedder.embed(["twice"], role="query") for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize("text", [*TEXTS[:-1], "tab\tand\r\nlines\n\n", "表格 | 中文 | 混合 mixed", "x" * 500])
def test_tokens_cover_every_visible_character_in_order(embedder, text):
    spans = embedder.tokens(text)
    assert spans.dtype == np.int32
    assert spans.shape == (len(spans), 2)
    assert (spans[:, 1] > spans[:, 0]).all()
    assert (np.diff(spans[:, 0]) >= 0).all()
    covered = {at for start, end in spans.tolist() for at in range(start, end)}
    assert covered <= set(range(len(text)))
    assert {at for at, letter in enumerate(text) if not letter.isspace() and letter != "\u200d"} <= covered


def test_tokens_of_a_long_line_are_those_of_its_pieces(embedder):
    line = "word 中文 🚀 " * 10_000
    spans = embedder.tokens(line)
    small = embedder.tokens("word 中文 🚀 ")
    assert spans.max() <= len(line)
    assert abs(len(spans) - 10_000 * len(small)) <= 10_000  # a space at a line's end may be a token
    covered = np.zeros(len(line), bool)
    for start, end in spans.tolist():
        covered[start:end] = True
    assert all(covered[at] for at, letter in enumerate(line) if not letter.isspace())


def test_a_text_of_input_tokens_is_read_to_its_end(embedder):
    text = "a b " * embedder.input_tokens
    cut = text[: embedder.tokens(text)[embedder.input_tokens - 1][1]]
    other = cut[: cut.rstrip().rfind(" ")] + " z"
    assert len(embedder.tokens(cut)) == embedder.input_tokens
    exact = embedder.embed([cut, other], role="note")
    assert not np.array_equal(exact[0], exact[1])


def test_threads_share_one_embedder(embedder):
    alone = [embedder.embed([text], role="query") for text in TEXTS[:4]]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: embedder.embed([text], role="query"), TEXTS[:4]))
        counts = list(pool.map(lambda text: len(embedder.tokens(text)), TEXTS[:4] * 5))
    assert all((one * other).sum() > 0.999 for one, other in zip(alone, together, strict=True))
    assert counts == [len(embedder.tokens(text)) for text in TEXTS[:4]] * 5


@pytest.mark.skipif(not e5.available(), reason="no packaged model on this platform")
def test_the_converted_folder_is_a_model_like_any_other(bundled):
    folder = Sentence(str(e5.ensure_folder()))
    assert (folder.dimension, folder.input_tokens) == (bundled.dimension, bundled.input_tokens)
    for role in ("note", "query"):
        assert np.array_equal(folder.embed(["备份"], role=role), bundled.embed(["备份"], role=role))


def test_meaning_across_languages(bundled):
    notes = bundled.embed(["数据库备份与恢复的步骤", "今天的晚饭是红烧肉", "The weather in Rome"], role="note")
    question = bundled.embed(["How can I restore my database?"], role="query")
    assert (notes @ question[0]).argmax() == 0


def test_a_folder_loads_and_embeds_without_any_network(tiny_folder, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("a local model reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert Sentence(str(tiny_folder)).embed(["x"], role="note").shape == (1, 32)
    if e5.available():
        fresh = Bundled()
        fresh.warm()
        assert fresh.embed(["x"], role="note").shape == (1, 384)


def test_made_light_and_known_by_its_json_files(tiny_folder):
    import subprocess

    code = (
        "import sys; from core.embedding import build\n"
        f"one = build('bundled'); other = build('sentence:{tiny_folder}')\n"
        "print(one.dimension, other.dimension, other.input_tokens, len(other.tokens('a b')))\n"
        "assert one.fingerprint and other.fingerprint\n"
        "assert not {'torch', 'transformers', 'sentence_transformers'} & sys.modules.keys()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["384", "32", "61", "2"]


def changed(folder: Path, to: Path, name: str, content: str | None) -> Path:
    """A copy of the folder with one file changed, or removed."""
    import shutil

    shutil.copytree(folder, to)
    (to / name).unlink() if content is None else (to / name).write_text(content, encoding="utf-8")
    return to


def test_prompts_come_from_the_folder_then_the_family(tiny_folder, tmp_path):
    own = json.dumps({"prompts": {"query": "ask: ", "passage": "tell: "}})
    name = "config_sentence_transformers.json"
    folder = changed(tiny_folder, tmp_path / "own", name, own)
    assert Sentence(str(folder))._encoder.facts.prompts == {"query": "ask: ", "note": "tell: "}
    for family, query in [
        ("my-e5-small", "query: "),
        ("bge-large-zh-v1.5", "为这个句子生成表示以用于检索相关文章："),
        ("bge-small-en", "Represent this sentence for searching relevant passages: "),
        ("bge-m3", ""),
        ("all-MiniLM-L6-v2", ""),
        ("multilingual-e5-large-instruct", ""),
    ]:
        folder = changed(tiny_folder, tmp_path / family, name, "{}")
        assert Sentence(str(folder))._encoder.facts.prompts["query"] == query


def test_prompts_change_vectors_and_fingerprint(tiny_folder, tmp_path):
    own = json.dumps({"prompts": {"query": "q", "document": ""}})
    prompted = Sentence(str(changed(tiny_folder, tmp_path / "model", "config_sentence_transformers.json", own)))
    asked, told = (prompted.embed(["backup"], role=role) for role in ("query", "note"))
    assert not np.allclose(asked, told, atol=1e-2)
    assert np.allclose(told, Sentence(str(tiny_folder)).embed(["backup"], role="note"), atol=1e-2)
    assert prompted.fingerprint != Sentence(str(tiny_folder)).fingerprint


def test_fingerprint_follows_the_weights_not_the_place(tiny_folder, tmp_path):
    import shutil

    copy = shutil.copytree(tiny_folder, tmp_path / "elsewhere" / tiny_folder.name)
    assert Sentence(str(copy)).fingerprint == Sentence(str(tiny_folder)).fingerprint
    weights = copy / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert Sentence(str(copy)).fingerprint != Sentence(str(tiny_folder)).fingerprint


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("modules.json", None, "not a sentence-transformers model"),
        ("modules.json", "{", "can't be understood"),
        ("modules.json", "[]", "can't be understood"),
        ("modules.json", '[{"type": "custom_st.Transformer", "path": ""}]', "code of its own"),
        ("config.json", "[]", "can't be understood"),
        ("tokenizer.json", None, "no tokenizer.json"),
        ("model.safetensors", None, "no weights"),
    ],
)
def test_a_folder_that_is_no_model_is_refused_at_once(tiny_folder, tmp_path, name, content, said):
    folder = changed(tiny_folder, tmp_path / "model", name, content)
    with pytest.raises(ModelError, match=said):
        build(f"sentence:{folder}")


def test_damaged_parts_are_told_when_they_are_used(tiny_folder, tmp_path):
    broken = build(f"sentence:{changed(tiny_folder, tmp_path / 'a', 'tokenizer.json', '{}')}")
    with pytest.raises(ModelError, match=r"tokenizer\.json is damaged"):
        broken.tokens("x")
    broken = build(f"sentence:{changed(tiny_folder, tmp_path / 'b', 'model.safetensors', 'x')}")
    with pytest.raises(ModelError, match="can't be loaded"):
        broken.embed(["x"], role="note")


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


def test_names_that_cannot_be(tmp_path):
    with pytest.raises(ConfigError, match="sentence:BAAI/bge-m3"):
        build("sentence")
    with pytest.raises(UnknownChoice, match="Did you mean 'bundled'"):
        build("bundle")
    with pytest.raises(ModelError, match="not a sentence-transformers model"):
        build(f"sentence:{tmp_path}")


def test_a_hub_out_of_reach_names_the_ways_out(monkeypatch, tmp_path):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    embedder = build("sentence:BAAI/bge-m3")
    with pytest.raises(ModelError, match=r"HF_ENDPOINT.*sentence:/path/to/folder"):
        embedder.embed(["x"], role="note")


def test_a_model_in_the_hub_cache_needs_no_hub(monkeypatch, tmp_path, tiny_folder):
    import shutil

    from huggingface_hub import constants

    revision = "0" * 40
    repository = tmp_path / "models--sentence-transformers--tiny"
    shutil.copytree(tiny_folder, repository / "snapshots" / revision)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    embedder = build("sentence:tiny")
    assert embedder.embed(["x"], role="note").shape == (1, 32)
    assert embedder.fingerprint.startswith("sentence-transformers/tiny@")
