"""Operations for suggesting notes from logs, and their terminal output."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from core.base.frozen import AnyValues, frozen
from core.base.messages import plural
from core.base.terminal import _, say
from core.features.learning.rules import RULES
from core.model import LearningReport, LearntLog, Progress, RuleCard, learnt_lines
from core.operations.declaring import About, Caller, operation

if TYPE_CHECKING:
    from core.workspace import Workspace


# Output for people.


def format_report(report: LearningReport) -> list[str]:
    lines = [line for log in report.logs for line in _format_log(log)]
    lines += [_("{path} wasn't read: {reason}", path=file.path, reason=file.reason) for file in report.failed]
    if any(log.suggested for log in report.logs):
        lines.append(
            _("The notes in '{base}' wait for your approval. To see them, run: tessera note waiting", base=report.base)
        )
    return lines


def _format_log(log: LearntLog) -> list[str]:
    suggested, *counts = learnt_lines([log], without=["dropped"])
    return [
        _(
            "{name} ({format}): {events}, {suggested}",
            name=log.name,
            format=log.format,
            events=plural("{n} event", "{n} events", n=log.events),
            suggested=suggested,
        ),
        *(f"  {say(count)}" for count in counts),
        *(f"  {_('Dropped: {title} ({reason})', title=item.title, reason=item.reason)}" for item in log.dropped),
    ]


# The operations.

_LOG = "2026-02-14 10:12:03 INFO config - setting pool.size = 20, pool.wait = 3\n"


@frozen
class RuleList:
    """The rules that find facts in logs."""

    rules: tuple[RuleCard, ...]


def _check(workspace: "Workspace", base: str = "", parser: str = "", name: str = "", **given: Any) -> None:
    """Raise the errors that `learn` would raise for its arguments, before a job is started."""
    if base:
        workspace.bases.get(base)
    workspace.learning.check(**given)


@operation(
    "learning.learn",
    (
        "Suggest notes from logs: errors and how they were resolved, settings, headers, tests, slow calls, "
        "commands. Secrets are masked, and the notes wait until the user accepts them."
    ),
    http="POST /learn",
    cli="learn {files}",
    tool="log_learn",
    writes=True,
    job="learn",
    check=_check,
    takes={"text": _LOG, "name": "app.log"},
    lines=format_report,
)
def learn(
    workspace: "Workspace",
    caller: Caller,
    progress: Progress,
    files: Annotated[
        list[Path] | None,
        About(
            "Logs, JSON lines, pytest or JUnit reports, Markdown, chats, ChatGPT or Claude exports.",
            doors=("cli",),
        ),
    ] = None,
    base: Annotated[str, About("The knowledge base for the notes. The command creates it if it doesn't exist.")] = "",
    text: Annotated[str | None, About("The text of a log.", doors=("http", "tool"), long=True)] = None,
    events: Annotated[
        list[AnyValues] | None,
        About(
            "Events that are already parsed, each with text and, if known, time, level, source, line, kind, "
            "count and fields.",
            doors=("http", "tool"),
        ),
    ] = None,
    name: Annotated[str, About("The name of the log, such as its file name.", doors=("http", "tool"))] = "",
    parser: Annotated[
        str,
        About("The name of the parser, such as plain or jsonlines. By default, the parser that suits the log best."),
    ] = "",
    with_model: Annotated[
        bool,
        About(
            "Let the language model from the settings suggest notes too. The log is sent to the model with secrets "
            "masked, and each suggestion must quote the log."
        ),
    ] = False,
) -> LearningReport:
    if base and not caller.is_person:
        workspace.bases.get(base)
    return workspace.learning.learn(
        base,
        files=files or (),
        text=text,
        events=events,
        name=name,
        parser=parser,
        with_model=with_model,
        progress=progress,
    )


@operation(
    "learning.rules",
    "List the rules that read facts from logs.",
    http="GET /learn/rules",
)
def rules(workspace: "Workspace") -> RuleList:
    return RuleList(tuple(RuleCard(name, rule.name) for name, rule in RULES.items()))
