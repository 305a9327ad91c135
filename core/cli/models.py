"""`tessera models`: what models there are, whether they work, how to have others, and which one a base has."""

import sys
from dataclasses import asdict
from typing import Annotated, Any, Literal

import typer

from core.cli import training
from core.cli.options import WORKSPACE, Folder, Json
from core.cli.shown import progress, show
from core.config import settings
from core.errors import ConfigError

app = typer.Typer(
    help="The models there are, whether they work, how to have others, and which one a base has.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Model = Annotated[str, typer.Argument(help="A name that `tessera models list` shows, such as bundled.")]
BaseName = Annotated[str, typer.Argument(help="The knowledge base.")]


@app.command("list")
def list_(workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    """Show every model: installed, used by a base, configured, or worth having."""
    from core.models import cards, device_of
    from core.workspace import Workspace

    told = []
    if workspace.is_dir():
        with Workspace(workspace, readonly=True) as opened:
            found = opened.models()
    else:
        found = cards([settings().embedder, settings().search.reranker])
    for card in found:
        device, running = device_of(card), card.running
        told.append(
            {
                "name": card.name,
                "part": card.part,
                "usable": not card.problem,
                "problem": card.problem,
                "folder": str(card.folder) if card.folder else None,
                "bytes": card.bytes_on_disk,
                "languages": list(card.languages),
                "dimension": card.dimension,
                "input_tokens": card.input_tokens,
                "downloadable": card.downloadable,
                "download_bytes": card.download_bytes or None,
                "server": card.server or None,
                "loaded": running is not None,
                "memory_bytes": running.bytes if running else None,
                "device": asdict(device) if device else None,
            }
        )
    show({"models": told}, as_json, _list_lines)


@app.command("test")
def try_(name: Model, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    """Load a model and have it rank a few sentences in Chinese and English; ends with 1 where it ranks them wrongly."""
    from core import trials

    trial = trials.run(name, progress)
    running = trial.running
    told = {
        "name": trial.name,
        "part": trial.part,
        "seconds_to_load": round(trial.seconds_to_load, 3),
        "ms_per_text": round(1000 * trial.seconds_a_text, 3),
        "dimension": trial.dimension,
        "device": asdict(running.device) if running else None,
        "memory_bytes": running.bytes if running else None,
        "process_bytes": trial.resident_bytes,
        "languages": list(trial.languages),
        "ranking": {name: {"right": trial.right[name], "asked": asked} for name, asked in trial.asked.items()},
        "usable": trial.usable,
    }
    show(told, as_json, _test_lines)
    if not trial.usable:
        raise typer.Exit(1)


@app.command()
def download(name: Model, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    """Download a model from the hub, or from the mirror that the environment variable HF_ENDPOINT names."""
    from core import models

    folder = models.download(name, progress)
    show({"name": name, "folder": str(folder)}, as_json, lambda told: [told["folder"]])


@app.command()
def path(name: Model, workspace: Folder = WORKSPACE, as_json: Json = False) -> None:
    """Show the folder of a model's files; the bundled one is unpacked where it isn't yet."""
    from core import models

    show({"name": name, "folder": str(models.path(name))}, as_json, lambda told: [told["folder"]])


@app.command()
def switch(
    base: BaseName,
    embedder: Annotated[
        str | None, typer.Argument(help="What shall embed its notes; without it, what was begun goes on.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask whether to begin.")] = False,
    abandon: Annotated[bool, typer.Option("--abandon", help="Forget what was begun; the base stays as it is.")] = False,
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    """Give a base another embedder: tell what it takes, ask, embed its notes anew. Until then the old one answers."""
    from core.workspace import Workspace

    with Workspace(workspace) as opened:
        told: dict[str, Any] = {"base": base, "switched": False}
        if abandon:
            opened.abandon_switch(base)
        elif embedder is None or _agreed(told, opened.switch_cost(base, embedder, progress=progress), yes):
            if embedder is not None:
                opened.begin_switch(base, embedder)
            try:
                opened.run_switch(base, progress=progress)
            except KeyboardInterrupt:
                again = f"tessera models switch {base}" + (
                    f" --workspace {workspace}" if workspace != WORKSPACE else ""
                )
                sys.stderr.write(
                    "\nStopped; what is embedded stays, and the base answers with its old embedder.\n"
                    f"Go on: {again}\nOr stay: {again} --abandon\n"
                )
                sys.exit(130)
            told["switched"] = True
        told["embedder"] = opened.base(base).embedder
    show(told, as_json, lambda told: [f"The base '{base}' has the embedder '{told['embedder']}'."])


def _agreed(told: dict[str, Any], cost: Any, yes: bool) -> bool:
    told |= {"windows": cost.windows, "to_embed": cost.to_embed, "estimated_minutes": round(cost.seconds / 60, 2)}
    sys.stderr.write(
        f"{cost.windows:,} windows, {cost.to_embed:,} of them to embed with '{cost.embedder}': about "
        f"{_duration(cost.seconds)}. Until it is done the old embedder answers.\n"
    )
    if yes:
        return True
    if not sys.stdin.isatty():
        raise ConfigError("Nobody can be asked here, so nothing was begun. Add --yes to begin.")
    return typer.confirm("Begin?", err=True)


@app.command()
def tokens(
    base: BaseName,
    keep: Annotated[str, typer.Argument(help="on or off")],
    workspace: Folder = WORKSPACE,
    as_json: Json = False,
) -> None:
    """Keep the bits of a base's tokens, which late interaction ranks by in milliseconds, or delete them."""
    from core.workspace import Workspace

    if keep not in ("on", "off"):
        raise ConfigError(f"The token bits of a base are 'on' or 'off', not '{keep}'.")
    with Workspace(workspace) as opened:
        embedded = opened.keep_tokens(base, keep == "on", progress=progress)
        state = next(one for one in opened.status().bases if one.base.name == base)
    told = {
        "base": base,
        "keep_tokens": state.base.keep_tokens,
        "embedded_windows": embedded,
        "windows": state.windows,
        "windows_with_bits": state.with_bits,
        "bytes": state.bit_bytes,
    }
    show(told, as_json, _tokens_lines)


app.command()(training.train_reranker)


def _list_lines(told: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    parts: tuple[Literal["embedder", "reranker"], ...] = ("embedder", "reranker")
    for part in parts:
        lines += [*([""] if lines else []), f"{part.capitalize()}s"]
        for model in told["models"]:
            if model["part"] == part:
                lines += _model_lines(model)
    for device in {model["device"]["reason"]: model["device"] for model in told["models"] if model["device"]}.values():
        lines += ["", f"{device['name']}, {device['dtype']}: {device['reason']}"]
    return lines


def _model_lines(model: dict[str, Any]) -> list[str]:
    facts = ["ready" if model["usable"] else "not ready"]
    if model["dimension"]:
        facts.append(f"{model['dimension']:,} numbers a text")
    if model["input_tokens"]:
        facts.append(f"reads {model['input_tokens']:,} tokens")
    if model["languages"]:
        facts.append(_languages(model["languages"]))
    if model["bytes"]:
        facts.append(f"{_megabytes(model['bytes'])} on disk")
    elif model["download_bytes"]:
        facts.append(f"a download of {_megabytes(model['download_bytes'])}")
    if model["device"]:
        facts.append(f"{model['device']['name']}, {model['device']['dtype']}")
    facts.append(f"loaded, {_megabytes(model['memory_bytes'])}" if model["loaded"] else "not loaded")
    lines = [f"  {model['name']}", f"      {'; '.join(facts)}"]
    return lines + [f"      {more}" for more in (model["server"], model["folder"], model["problem"]) if more]


def _test_lines(told: dict[str, Any]) -> list[str]:
    lines = [f"loaded in {told['seconds_to_load']:.1f} s, {told['ms_per_text']:.1f} ms a text"]
    if told["dimension"]:
        lines.append(f"{told['dimension']:,} numbers a text")
    if told["device"]:
        lines.append(f"on {told['device']['name']} in {told['device']['dtype']}: {told['device']['reason']}")
        lines.append(f"its weights take {_megabytes(told['memory_bytes'])} of memory")
    if told["process_bytes"]:
        lines.append(f"this process takes {_megabytes(told['process_bytes'])}, libraries and all")
    wrong = []
    for language, ranking in told["ranking"].items():
        name = {"en": "English", "zh": "Chinese"}[language]
        verdict = "right" if ranking["right"] == ranking["asked"] else "WRONG"
        wrong += [name] if verdict == "WRONG" else []
        lines.append(
            f"{name}: {verdict}, {ranking['right']} of {ranking['asked']} questions found their sentence first"
        )
    if told["languages"]:
        lines.append(f"it says that it knows: {_languages(told['languages'])}")
    if not told["usable"]:
        return [*lines, "not usable: choose another model"]
    return [*lines, f"usable, but not for notes in {' or '.join(wrong)}" if wrong else "usable"]


def _tokens_lines(told: dict[str, Any]) -> list[str]:
    if not told["keep_tokens"]:
        return [f"The base '{told['base']}' keeps no token bits."]
    kept = f"{told['windows_with_bits']:,} of {told['windows']:,} windows"
    return [
        f"The base '{told['base']}' keeps the token bits of {kept}: {_megabytes(told['bytes'])} on disk; "
        f"{told['embedded_windows']:,} were embedded for it."
    ]


def _languages(names: list[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"


def _duration(seconds: float) -> str:
    return f"{seconds / 60:,.0f} minutes" if seconds >= 90 else f"{seconds:,.0f} seconds"
