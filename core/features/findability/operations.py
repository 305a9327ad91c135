"""Operations that check whether the notes of a base can be found."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from core.base.errors import ConfigError
from core.base.messages import message
from core.doors.operations.declaring import About, operation
from core.doors.operations.parameters import SEARCH, Base, check_base
from core.features.findability import text
from core.features.findability.views import CheckView, TrialView
from core.model import Progress, SearchSettings

if TYPE_CHECKING:
    from core.workspace import Workspace

T = TypeVar("T")


@operation(
    "findability.check",
    message("Check whether the notes of a base can be found, with questions made from them; takes at most a minute."),
    http="POST /bases/{base:path}/findability",
    cli="check notes",
    writes=True,
    job="findable",
    check=check_base,
    lacks={"tool": "it takes a minute; a tool shows the last check"},
    lines=text.format_check,
)
def check(workspace: "Workspace", progress: Progress, base: Base) -> CheckView:
    return CheckView.from_findability(workspace.findability.check(base, progress))


@operation(
    "findability.last",
    message("Show the last check whether the notes of a base can be found: which no question reaches, and why."),
    http="GET /bases/{base:path}/findability",
    cli="check last",
    tool="knowledge_check",
    lines=text.format_check,
)
def last(workspace: "Workspace", base: Base) -> CheckView:
    return CheckView.from_findability(_known(base, workspace.findability.last(base)))


@operation(
    "findability.try",
    message("Try other search settings on the questions of the last check: what would be found worse."),
    http="POST /bases/{base:path}/findability/trial",
    cli="check settings",
    takes={"search": {"limit": 5}},
    lacks={"tool": "how a base is searched is the person's choice"},
    lines=text.format_trial,
)
def try_(
    workspace: "Workspace",
    progress: Progress,
    base: Base,
    search: Annotated[Mapping[str, Any] | None, About(message("The settings to try."), parts=SEARCH)] = None,
) -> TrialView:
    settings = SearchSettings.from_values(search or {}).over(workspace.bases.get(base).search)
    return TrialView.from_trial(_known(base, workspace.findability.try_settings(base, settings, progress)))


def _known(base: str, value: T | None) -> T:
    """Return a value that needs a check of the base; raises ConfigError without one."""
    if value is None:
        raise ConfigError(
            "The base '{base}' has no check with enough questions yet. Check it first: {command}",
            base=base,
            command=f"tessera check notes --base '{base}'",
        )
    return value
