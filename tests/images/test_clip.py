"""A CLIP model as it is: loaded from a folder, and what is refused."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from core.base.errors import ConfigError, ModelError
from core.retrieval import images
from core.retrieval.images import ImageEmbedder
from core.retrieval.images.contract import ImageEmbedderContract


class TestClip(ImageEmbedderContract):
    @pytest.fixture
    def image_embedder(self, tiny_clip: Path) -> ImageEmbedder:
        return images.build(str(tiny_clip))


def test_a_folder_of_transformers_has_the_same_vectors(tiny_clip: Path) -> None:
    saved, plain = (images.build(str(folder)) for folder in (tiny_clip, tiny_clip.parent / "clip"))
    texts = ["a whiteboard with arrows"]
    assert np.allclose(saved.embed_texts(texts), plain.embed_texts(texts), atol=1e-5)


def test_a_folder_as_older_models_on_the_hub_have_it(tiny_clip: Path, tmp_path: Path) -> None:
    """As that of clip-ViT-B-32: its files below, those of transformers 4, nothing on the length of texts."""
    files = Path(shutil.copytree(tiny_clip.parent / "clip", tmp_path / "older" / "0_CLIPModel"))
    module = {"idx": 0, "name": "0", "path": files.name, "type": "sentence_transformers.models.CLIPModel"}
    (files.parent / "modules.json").write_text(json.dumps([module]))
    (files / "processor_config.json").unlink()
    sizes = {"size": 32, "crop_size": 32, "do_center_crop": True, "do_resize": True, "do_normalize": True}
    sizes |= {"image_mean": [0.5] * 3, "image_std": [0.5] * 3, "feature_extractor_type": "CLIPFeatureExtractor"}
    (files / "preprocessor_config.json").write_text(json.dumps(sizes))
    tokenizer = json.loads((files / "tokenizer_config.json").read_text())
    (files / "tokenizer_config.json").write_text(json.dumps(tokenizer | {"model_max_length": 10**30}))
    model = images.build(str(files.parent))
    assert model.embed_images([np.zeros((60, 500, 3), np.uint8)]).shape == (1, 16)
    assert np.allclose(model.embed_texts(["a" * 500]), model.embed_texts(["a" * 900]), atol=1e-5)


def test_another_model_has_another_fingerprint(tiny_clip: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(tiny_clip, tmp_path / tiny_clip.name))
    assert images.build(str(other)).fingerprint == images.build(str(tiny_clip)).fingerprint
    weights = bytearray((other / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (other / "model.safetensors").write_bytes(weights)
    images.IMAGE_EMBEDDERS.forget("clip")
    assert images.build(str(other)).fingerprint != images.build(str(tiny_clip)).fingerprint


def test_what_is_no_model_for_pictures_is_refused(tiny_clip: Path, tiny_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="needs a model"):
        images.build("clip:")
    with pytest.raises(ModelError, match=r"no modules\.json"):
        _ = images.build(str(tmp_path)).fingerprint
    with pytest.raises(ModelError, match="both pictures and text"):
        images.build(str(tiny_folder)).warm()
    own = Path(shutil.copytree(tiny_clip, tmp_path / "own"))
    (own / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "", "type": "os.system"}]))
    with pytest.raises(ModelError, match="its own code"):
        images.build(str(own)).warm()


def test_a_name_on_the_hub_is_no_model_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    assert images.build("clip-ViT-B-32").is_here is False
