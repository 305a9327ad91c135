"""Operations on the workspace as a whole."""

from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from core.base.messages import message
from core.desktop import window
from core.doors.operations.declaring import operation
from core.doors.operations.views.bases import WorkspaceStatus

if TYPE_CHECKING:
    from core.workspace import Workspace


@operation(
    "status.show",
    message("Show what the workspace holds, and what is wrong with its search index."),
    http="GET /status",
    cli="status",
    by_hand=("cli",),
    lacks={"tool": "it names folders of the machine"},
)
def show(workspace: "Workspace") -> WorkspaceStatus:
    return WorkspaceStatus.from_status(workspace.status())


class Shown(TypedDict):
    """The address of the app's pages, empty without any, and whether they are in a window of its own."""

    url: str
    shown: bool


@operation(
    "app.show",
    message("Bring the open app to the front."),
    gives={"url": "http://127.0.0.1:8501", "shown": True},
    lacks=dict.fromkeys(("http", "cli", "tool"), "a second `tessera app` does it; nothing else opens windows"),
)
def bring_to_front(workspace: "Workspace") -> Shown:
    return {"url": window.address, "shown": bool(window.window and window.window.bring_to_front())}


@operation(
    "status.settings",
    message("Show the settings in use."),
    gives={"embedder": "bundled"},
    lacks=dict.fromkeys(
        ("http", "cli", "tool"), "a command compares them with its own; a person sees them in tessera.toml"
    ),
)
def settings(workspace: "Workspace") -> dict[str, Any]:
    values: dict[str, Any] = workspace.settings.model_dump(mode="json")
    return values
