"""Small models with random weights, saved as real ones are: quick to make, and as large as a mouse."""

import shutil
from pathlib import Path
from typing import Any

import pytest

MAX_TOKENS = 64


def encoder(folder: Path) -> Path:
    """A BERT that reads letters, 32 numbers a text, saved the way sentence-transformers saves."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertModel

    BertModel(_config(folder)).save_pretrained(folder / "bert")
    transformer = Transformer(str(folder / "bert"), model_kwargs={"local_files_only": True})
    model = SentenceTransformer(modules=[transformer, Pooling(32, "cls")], device="cpu")
    model.save(str(folder / "model"), create_model_card=False)  # which would ask the hub about its base model
    return folder / "model"


def cross_encoder(folder: Path, *, labels: int = 1) -> Path:
    """A BERT that reads letters and gives a pair so many scores, saved the way transformers saves."""
    from transformers import BertForSequenceClassification

    BertForSequenceClassification(_config(folder, num_labels=labels)).save_pretrained(folder / "bert")
    return folder / "bert"


def clip(folder: Path) -> Path:
    """A CLIP that sees 32 x 32 pixels and reads letters, saved the way sentence-transformers saves."""
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel, CLIPProcessor, CLIPTokenizerFast

    torch.manual_seed(1)
    letters = [chr(code) for code in range(33, 127)]
    pieces = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    begin, end = len(pieces) - 2, len(pieces) - 1
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    text = size | {"vocab_size": len(pieces), "bos_token_id": begin, "eos_token_id": end, "pad_token_id": end}
    vision = size | {"image_size": 32, "patch_size": 8}
    model = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=16))
    model.save_pretrained(folder / "clip")
    tokenizer = CLIPTokenizerFast(vocab={piece: at for at, piece in enumerate(pieces)}, merges=[], model_max_length=77)
    images = CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    CLIPProcessor(images, tokenizer).save_pretrained(folder / "clip")
    loaded = SentenceTransformer(str(folder / "clip"), device="cpu", local_files_only=True)
    loaded.save(str(folder / "model"), create_model_card=False)
    return folder / "model"


def cached(folder: Path, name: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a folder into a hub cache as the model `name`, and let there be no hub."""
    revision = "0" * 40
    repository = cache / f"models--{name.replace('/', '--')}"
    shutil.copytree(folder, repository / "snapshots" / revision)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(revision)
    no_hub(cache, monkeypatch)


def no_hub(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the hub's cache be this folder, and the hub a port where nobody answers."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")


def _config(folder: Path, **more: Any) -> Any:
    import torch
    from transformers import BertConfig

    torch.manual_seed(1)
    return BertConfig(
        vocab_size=_tokenizer(folder / "bert"),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=MAX_TOKENS,
        initializer_range=0.5,
        **more,
    )


def _tokenizer(folder: Path) -> int:
    """Write a tokenizer of letters; return how many pieces it knows."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    letters = [chr(code) for code in range(33, 127)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{letter}" for letter in letters), "backup"]
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=MAX_TOKENS,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    ).save_pretrained(folder)
    return len(pieces)
