"""`tessera models train-reranker`: a cross-encoder of a person's own, and what it gives."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from core.cli.options import WORKSPACE, Base, Folder, Json
from core.cli.shown import progress, show

Questions = Annotated[
    list[Path] | None,
    typer.Option("--questions", help="Questions in the format of SQuAD, or your own on --base as .jsonl; repeatable."),
]


def train_reranker(
    out: Annotated[Path, typer.Option("--out", help="The folder to write the model to; it must not be there yet.")],
    base: Base = None,
    questions: Questions = None,
    layers: Annotated[int, typer.Option(help="How many of the bundled model's 12 layers.")] = 6,
    steps: Annotated[int, typer.Option(help="Steps at most; each reads 8 questions with 4 passages.")] = 2000,
    minutes: Annotated[float, typer.Option(help="Minutes of training at most.")] = 30,
    seed: Annotated[
        int, typer.Option(help="The same number gives the same model, where the steps end it and not the time.")
    ] = 0,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    """Train a cross-encoder on a base's headings and on questions, and tell what it gives. Ctrl-C keeps the best."""
    from core.workspace import Recipe, Workspace

    recipe = Recipe(layers=layers, steps=steps, minutes=minutes, seed=seed)
    with Workspace(workspace, readonly=workspace.exists()) as opened:
        report = opened.train_reranker(out, base=base, questions=questions or (), recipe=recipe, progress=progress)
    told = {
        "folder": str(report.folder),
        "sources": dict(report.sources),
        "trained_on": report.trained_on,
        "steps": report.learned.steps,
        "seconds": round(report.learned.seconds, 1),
        "stopped": report.learned.stopped,
        "held_back": {"questions": report.asked, "passages": report.passages},
        "figures": [asdict(one) for one in report.figures],
        "worth_it": report.worth_it,
        "weight": report.best.weight if report.best else None,
        "name": f"cross-encoder:{report.folder}",
    }
    show(told, as_json, _lines)


def _lines(told: dict[str, Any]) -> list[str]:
    lines = [
        f"{'Stopped' if told['stopped'] else 'Trained'} after {told['steps']:,} steps, {told['seconds']:,.0f} seconds,"
        f" on {told['trained_on']:,} questions:",
        *(f"  {count:,} of {name}" for name, count in told["sources"].items()),
    ]
    held = told["held_back"]
    if not held["questions"]:
        return [*lines, "Nothing could be held back, so what it gives is not known.", *_use(told)]
    lines += [
        "",
        f"{held['questions']:,} questions on {held['passages']:,} passages that it never saw:",
        f"{'':<34}{'hit@1':>8}{'MRR@10':>8}",
    ]
    names = {"": "no reranking", "own": "this cross-encoder", "late-interaction": "late interaction"}
    for one in told["figures"]:
        share = "" if not one["weight"] else ", alone" if one["weight"] == 1 else f", weight {one['weight']}"
        lines.append(f"{names[one['reranker']] + share:<34}{one['hit_at_1']:>8.3f}{one['mrr_at_10']:>8.3f}")
    lines.append("")
    if not told["worth_it"]:
        lines.append("It is no better than no reranking: train longer, or on more questions, before you use it.")
    return [*lines, *_use(told)]


def _use(told: dict[str, Any]) -> list[str]:
    lines = [f"Use it: tessera search QUESTION --rerank {told['name']}"]
    if told["weight"]:
        chosen = f'[search] reranker = "{told["name"]}", rerank_weight = {told["weight"]}'
        lines.append(f"For good, in tessera.toml: {chosen}")
    return lines
