"""A model that an installed package ships -> its folder; none of the package's code is run."""

from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from core.errors import ModelError

MARK = "modules.json"


def folder_of(name: str) -> Path:
    """Return the one sentence-transformers folder among the files of a package, named as it is imported or installed.

    Raises ModelError where there is no such package, or not exactly one such folder in it.
    """
    roots, files = _module(name), _distribution(name)
    if roots is None and files is None:
        raise ModelError(
            f"No package '{name}' is installed: neither a module nor a distribution has this name. "
            f"Install it with pip install {name}, or name a folder: sentence:/path/to/folder"
        )
    marks = [mark for root in roots or () for mark in root.rglob(MARK)]
    folders: list[Path] = sorted({mark.parent.resolve() for mark in [*marks, *(files or ())]})
    if not folders:
        looked = ", ".join(map(str, roots or ())) or "the files it installed"
        raise ModelError(
            f"The package '{name}' holds no sentence-transformers model: there is no {MARK} in {looked}. "
            "Name another package, or a folder: sentence:/path/to/folder"
        )
    if len(folders) > 1:
        listed = ", ".join(f"sentence:{folder}" for folder in folders)
        raise ModelError(f"The package '{name}' holds {len(folders)} models. Name the one you mean: {listed}")
    return folders[0]


def _module(name: str) -> list[Path] | None:
    """The folders of the module, None where there is none."""
    module = name.replace("-", "_")
    # Only a name without a dot: for others the packages above would be imported.
    try:
        spec = find_spec(module) if module.isidentifier() else None
    except ValueError:  # a module that was made without a spec, such as __main__
        return None
    return None if spec is None else [Path(place) for place in spec.submodule_search_locations or ()]


def _distribution(name: str) -> list[Path] | None:
    """The marks among the files of the distribution, None where there is none."""
    try:
        files = distribution(name).files
    except (PackageNotFoundError, ValueError):
        return None
    return [Path(str(file.locate())) for file in files or () if file.name == MARK]
