"""Two languages in one base: the effect of centring on a model's vectors, and questions over both vaults at once.

python -m benchmarks.languages DATA [--workspace DIR] [--embedders bundled,tfidf] [--ship] : DATA contains vaults/NAME
and questions/NAME.jsonl. With a permanent workspace, nothing is embedded twice. The questions `across` are in a
different language than the notes of the vault. `--ship` only writes what the program ships for the bundled model.
"""

import argparse
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from benchmarks.evaluation import Evaluation, evaluation_of
from benchmarks.quality import heading, imported, rows, vaults
from core import embedding
from core.embedding import centring, tokens
from core.model import OPEN, Pipeline, SearchSettings
from core.workspace import Workspace

ACROSS = Path(__file__).with_name("across")
BOTH = "both vaults"
SEARCHES = {
    "semantic": SearchSettings("semantic", reranker="none"),
    "hybrid": SearchSettings("hybrid", reranker="none"),
    "default": OPEN,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--embedders", default="bundled,tfidf", help="names, with commas between")
    parser.add_argument("--ship", action="store_true")
    given = parser.parse_args()
    if given.ship:
        ship()
        return
    models(filter(None, given.embedders.split(",")))
    names = vaults(given.data)
    heading()
    with tempfile.TemporaryDirectory() as scratch, Workspace(given.workspace or Path(scratch)) as workspace:
        bases = [imported(workspace, given.data / "vaults" / name, "bundled") for name in names]
        fill(workspace, bases, given.data / "vaults")
        for label, search in SEARCHES.items():
            for title, folder in (("own", given.data / "questions"), ("across", ACROSS)):
                files = [folder / f"{name}.jsonl" for name in names]
                for where, asked in (("alone", bases), ("together", [BOTH] * len(bases))):
                    measured = [ask(workspace, base, file, search) for base, file in zip(asked, files, strict=True)]
                    rows(f"{label}, {title} questions, {where}", names, measured)


def ship() -> None:
    model = embedding.build("bundled")
    save_file({model.fingerprint: np.ascontiguousarray(centring.compute_centring(model).constants)}, centring.SHIPPED)
    save_file({model.fingerprint: tokens.compute_centre(model)}, tokens.SHIPPED)


def models(names: Iterable[str]) -> None:
    """Print the effect of centring for each model on the texts in two languages: the mean reciprocal rank."""
    print("| model | across, as they are | centred | within, as they are | centred | kept |\n|---|---|---|---|---|---|")
    for name in names:
        model = embedding.build(name)
        trial, kept = centring.trial(model), centring.compute_centring(model) is not centring.PLAIN
        figures = " | ".join(f"{figure:.3f}" for figure in (*trial.across, *trial.within))
        print(f"| {name} | {figures} | {'yes' if kept else 'no'} |", flush=True)


def fill(workspace: Workspace, bases: Iterable[str], folder: Path) -> None:
    """Import both vaults as one base."""
    if BOTH not in {base.name for base in workspace.bases.all()}:
        workspace.bases.add(BOTH)
    for base in bases:
        workspace.imports.apply(workspace.imports.plan_folder(folder / base, BOTH))


def ask(workspace: Workspace, base: str, file: Path, search: SearchSettings) -> Evaluation:
    questions = workspace.question_sets.read(base, file.read_bytes(), file.name)
    ((_, results),) = workspace.runs.measure(base, questions, [Pipeline(search=search)])
    return evaluation_of(results)


if __name__ == "__main__":
    main()
