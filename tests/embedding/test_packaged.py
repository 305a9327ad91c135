"""A model from an installed package, whose code never runs."""

import shutil
import sys
from pathlib import Path

import pytest

from core.base.errors import ConfigError, ModelError
from core.embedding import build
from core.embedding.hub import package_folder
from core.embedding.sentence import build as build_sentence


@pytest.fixture
def site(tmp_path: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the package `tiny_model`, which the distributions `Tiny-Model` and `tiny-weights` list."""
    package = tmp_path / "tiny_model"
    shutil.copytree(tiny_folder, package / "deep" / "model")
    (package / "__init__.py").write_text("raise AssertionError('its code was run')")
    files = "".join(f"{path.relative_to(tmp_path).as_posix()},,\n" for path in package.rglob("*") if path.is_file())
    for name in ("Tiny-Model", "tiny-weights", "tiny-nothing"):
        about = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "RECORD").write_text("" if name == "tiny-nothing" else files)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", ["tiny_model", "tiny-model", "Tiny-Model", "tiny-weights", "tiny_weights"])
def test_a_package_is_found_by_either_name(site: Path, name: str) -> None:
    assert package_folder(name) == site / "tiny_model" / "deep" / "model"
    assert build_sentence(f"pkg:{name}").embed(["x"], role="note").shape == (1, 32)
    assert "tiny_model" not in sys.modules


def test_both_spellings_have_one_fingerprint(site: Path) -> None:
    assert build_sentence("pkg:tiny_model").fingerprint == build_sentence("pkg:Tiny-Model").fingerprint
    assert build_sentence("pkg:tiny_model").fingerprint.startswith("tiny_model@")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("no-such-package", "no package 'no-such-package' with.*pip install no-such-package"),
        ("json", "no package 'json' with a sentence-transformers model"),
        ("tiny-nothing", "no package"),
        ("../tiny_model", "no package"),
        ("tiny_model.deep", "no package"),
        ("__main__", "__main__"),
    ],
)
def test_a_package_without_a_model_is_refused(site: Path, name: str, error: str) -> None:
    with pytest.raises(ModelError, match=error):
        build(f"sentence:pkg:{name}")


def test_the_error_names_the_models_of_a_package_with_two(site: Path) -> None:
    package = site / "tiny_model"
    shutil.copytree(package / "deep" / "model", package / "other")
    with pytest.raises(ModelError, match=r"contains 2 models.*sentence:/.*deep/model, sentence:/.*other"):
        build("sentence:pkg:tiny_model")


def test_the_name_of_a_package_is_required() -> None:
    with pytest.raises(ConfigError, match="sentence:pkg:PACKAGE"):
        build("sentence:pkg:")
