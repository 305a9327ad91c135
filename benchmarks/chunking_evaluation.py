"""Chroma's public evaluation of chunking: how much of the right text five chunks bring, cut four ways.

    python -m benchmarks.chunking_evaluation FOLDER [--workspace DIR] [--corpora NAME,NAME] [--size 512] [--overlap 100]
    [--max-size 1500] [--hits 5] [--mode semantic] [--embedder bundled]

FOLDER is the `general_evaluation_data` of https://github.com/brandonstarxel/chunking_evaluation (Smith and Troynikov,
'Evaluating Chunking Strategies for Retrieval', Chroma, 2024): `questions_df.csv` with the columns question,
references (a JSON list of content, start_index and end_index) and corpus_id, and `corpora/NAME.md`. Each corpus is a
note, and all are searched at once, as there. Recall, precision and IoU are theirs, in characters: the mean and the
standard deviation over the questions. They count a retrieved character as often as it was retrieved; `once` are
Tessera's own, which count it once. Chunks is how many came back, for a search may join neighbours and leave out copies.
"""

import argparse
import csv
import json
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.features.evaluation import metrics
from core.features.evaluation.metrics import Span
from core.model import ChunkingOptions, Filters, GoldSpan, Note, Pipeline, Question, QuestionResult, SearchSettings
from core.workspace import Workspace

STRATEGIES = ("none", "markdown", "recursive", "auto")
COLUMNS = ("recall", "precision", "IoU")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = ChunkingOptions()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workspace", type=Path, help="kept, so that nothing is embedded twice")
    parser.add_argument("--corpora", help="names, with commas between (default all that are there)")
    parser.add_argument("--size", type=int, default=usual.chunk_size)
    parser.add_argument("--overlap", type=int, default=usual.chunk_overlap)
    parser.add_argument("--max-size", type=int, default=usual.max_single_chunk_size)
    parser.add_argument("--strategies", default=",".join(STRATEGIES), help="names, with commas between")
    parser.add_argument("--hits", type=int, default=5)
    parser.add_argument("--mode", choices=("semantic", "hybrid"), default="semantic")
    parser.add_argument("--embedder", default="bundled")
    given = parser.parse_args()
    texts = corpora(given.folder, given.corpora.split(",") if given.corpora else None)
    with (
        tempfile.TemporaryDirectory() as scratch,
        Workspace(given.workspace or Path(scratch) / "workspace") as workspace,
    ):
        workspace.settings.embedder = given.embedder
        folder = written(texts, Path(scratch) / "corpora")
        heading()
        for strategy in given.strategies.split(","):
            options = ChunkingOptions(
                strategy, chunk_size=given.size, chunk_overlap=given.overlap, max_single_chunk_size=given.max_size
            )
            base = imported(workspace, folder, options)
            questions = asked(given.folder / "questions_df.csv", notes(workspace, base))
            settings = SearchSettings(
                mode=given.mode, level="simple", phrase="boost", reranker="none", limit=given.hits
            )
            pipeline = Pipeline(search=settings)
            ((_, results),) = workspace.runs.measure(base, questions, [pipeline])
            for name in texts:
                row(strategy, name, [one for one in results if one.kind == name])
            if len(texts) > 1:
                row(strategy, "all", results)


def corpora(folder: Path, names: Sequence[str] | None) -> dict[str, str]:
    """Return the texts of the corpora by their names, as Python reads text: offsets there count an end of line once."""
    files = {file.stem: file for file in sorted((folder / "corpora").iterdir()) if file.suffix in (".md", ".txt")}
    return {name: files[name].read_text("utf-8") for name in names or files}


def written(texts: Mapping[str, str], folder: Path) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, "utf-8", newline="")
    return folder


def imported(workspace: Workspace, folder: Path, options: ChunkingOptions) -> str:
    """Return the name of a base that holds the corpora, cut by these options."""
    sizes = (options.chunk_size, options.chunk_overlap, options.max_single_chunk_size)
    base = " ".join(map(str, (options.strategy, *sizes)))
    if base not in {known.name for known in workspace.bases.all()}:
        made = workspace.bases.add(base)
        workspace.store.bases.change(made, chunking=options)  # sizes of the paper, which no door takes
    workspace.notes.apply(workspace.notes.plan_folder(folder, base), confirmed=True)
    return base


def notes(workspace: Workspace, base: str) -> dict[str, Note]:
    """Return the notes that the corpora became, by the corpora's names."""
    cards = workspace.notes.all(Filters(bases=(base,)))
    return {Path(card.path or "").stem: workspace.notes.get(card.id) for card in cards}


def asked(file: Path, notes: Mapping[str, Note]) -> list[Question]:
    """Return the questions on these corpora.

    Where a reference is, is what counts, as there; how many have another text is printed. Raises ValueError for one
    outside its corpus.
    """
    questions, references, other = [], 0, 0
    with file.open(encoding="utf-8", newline="") as lines:
        for number, line in enumerate(csv.DictReader(lines), start=2):
            note = notes.get(line["corpus_id"])
            if note is None:
                continue
            golds = []
            for reference in json.loads(line["references"]):
                start, end = (int(reference[name]) - note.body_start for name in ("start_index", "end_index"))
                if not 0 <= start < end <= len(note.body):
                    raise ValueError(f"{file}, row {number}: a reference leaves the corpus, at {start} to {end}.")
                golds.append(GoldSpan(note.path or "", note.body[start:end], start, end, note.id))
                other += golds[-1].quote != reference["content"]
            references += len(golds)
            questions.append(Question(f"{number}", line["question"], tuple(golds), any=False, kind=line["corpus_id"]))
    if other:
        print(f"{other} of {references} references have another text where they are said to be")
    return questions


def published(golds: Sequence[Span], retrieved: Sequence[Span]) -> tuple[float, float, float]:
    """Return recall, precision and IoU as the paper's own program has them: it adds up the lengths of what was
    retrieved, so that what two chunks share counts twice.
    """
    wanted, got = _length(golds), _length(retrieved)
    shared = metrics.span_recall(golds, retrieved, any=False) * _once(golds)
    missing = _once(golds) - shared
    return shared / wanted, shared / got if got else 0.0, shared / (got + missing)


def once(golds: Sequence[Span], retrieved: Sequence[Span]) -> tuple[float, float]:
    """Return precision and IoU by Tessera's metrics, over all that was retrieved."""
    return metrics.span_precision(golds, retrieved), metrics.iou(golds, retrieved)


def heading() -> None:
    names = [*COLUMNS, *(f"{name}, once" for name in COLUMNS[1:])]
    print(
        f"{'':<12}{'corpus':<22}{'questions':>10}{'chunks':>8}{'characters':>12}" + "".join(f"{n:>18}" for n in names)
    )


def row(strategy: str, corpus: str, results: Sequence[QuestionResult]) -> None:
    """Print the means and standard deviations over some questions."""
    spans = [
        (
            [(gold.note_id, gold.start, gold.end) for gold in result.golds],
            [(hit.note_id, hit.start, hit.end) for hit in result.hits],
        )
        for result in results
    ]
    if not spans:
        return
    figures = [[*published(*pair), *once(*pair)] for pair in spans]
    columns = [[100 * value for value in column] for column in zip(*figures, strict=True)]
    cells = [f"{statistics.fmean(column):.1f} ± {statistics.pstdev(column):.1f}" for column in columns]
    chunks = statistics.fmean(len(hits) for _, hits in spans)
    characters = statistics.fmean(_length(hits) for _, hits in spans)
    print(
        f"{strategy:<12}{corpus:<22}{len(spans):>10}{chunks:>8.1f}{characters:>12.0f}"
        + "".join(f"{cell:>18}" for cell in cells),
        flush=True,
    )


def _length(spans: Sequence[Span]) -> int:
    return sum(end - start for _, start, end in spans)


def _once(spans: Sequence[Span]) -> int:
    """How many characters spans hold, each counted once."""
    return len({(note, at) for note, start, end in spans for at in range(start, end)})


if __name__ == "__main__":
    main()
