"""The name of an installed package -> the folder of the model in it, without running the package's code."""

from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from core.base.errors import ModelError
from core.base.messages import message

MARK = "modules.json"


def folder_of(name: str) -> Path:
    """Return the sentence-transformers folder in a package, by the package's import name or its distribution name.

    Raises ModelError if there is no such package, or if it doesn't contain exactly one such folder.
    """
    roots, files = _module(name), _distribution(name)
    if roots is None and files is None:
        raise ModelError(
            "No package '{name}' is installed: neither a module nor a distribution has this name. "
            "Install it with pip install {name}, or name a folder: sentence:/path/to/folder",
            name=name,
        )
    marks = [mark for root in roots or () for mark in root.rglob(MARK)]
    folders: list[Path] = sorted({mark.parent.resolve() for mark in [*marks, *(files or ())]})
    if not folders:
        raise ModelError(
            "The package '{name}' holds no sentence-transformers model: there is no {file} in {places}. "
            "Name another package, or a folder: sentence:/path/to/folder",
            name=name,
            file=MARK,
            places=[str(root) for root in roots or ()] or message("the files it installed"),
        )
    if len(folders) > 1:
        raise ModelError(
            "The package '{name}' holds {n} models. Name the one you mean: {models}",
            name=name,
            n=len(folders),
            models=[f"sentence:{folder}" for folder in folders],
        )
    return folders[0]


def _module(name: str) -> list[Path] | None:
    """Return the folders of a module, None if there is no such module."""
    module = name.replace("-", "_")
    # Names with a dot are left out: find_spec would import the parent packages.
    try:
        spec = find_spec(module) if module.isidentifier() else None
    except ValueError:  # a module without a spec, such as __main__
        return None
    return None if spec is None else [Path(place) for place in spec.submodule_search_locations or ()]


def _distribution(name: str) -> list[Path] | None:
    """Return the paths of MARK in a distribution, None if there is no such distribution."""
    try:
        files = distribution(name).files
    except (PackageNotFoundError, ValueError):
        return None
    return [Path(str(file.locate())) for file in files or () if file.name == MARK]
