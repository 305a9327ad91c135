"""Operations on the workspace as a whole."""

from typing import TYPE_CHECKING

from core.base.messages import message
from core.desktop import window
from core.doors.operations.declaring import operation
from core.doors.operations.views.bases import WorkspaceStatus
from core.doors.program.views import ProgramSettings, ShownApp

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


@operation(
    "app.show",
    message("Bring the open app to the front."),
    gives={"url": "http://127.0.0.1:8501", "shown": True},
    lacks=dict.fromkeys(("http", "cli", "tool"), "a second `tessera app` does it; nothing else opens windows"),
)
def bring_to_front(workspace: "Workspace") -> ShownApp:
    return ShownApp(window.address, bool(window.window and window.window.bring_to_front()))


@operation(
    "status.settings",
    message("Show the settings in use."),
    gives={"values": {"embedder": "bundled"}},
    lacks=dict.fromkeys(
        ("http", "cli", "tool"), "a command compares them with its own; a person sees them in tessera.toml"
    ),
)
def settings(workspace: "Workspace") -> ProgramSettings:
    return ProgramSettings(workspace.settings.model_dump(mode="json"))
