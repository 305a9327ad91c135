"""Notes of other programs -> Markdown: the table of the importers, and which one knows a folder."""

from pathlib import Path

from core.base.messages import message
from core.base.registry import Entry, Registry
from core.intake.importers.protocol import Imported as Imported
from core.intake.importers.protocol import Importer as Importer

IMPORTERS: Registry[Importer] = Registry(
    message("importer"),
    {
        "logseq": Entry("core.intake.importers.logseq:Logseq"),
        "notion": Entry("core.intake.importers.notion:Notion"),
        "evernote": Entry("core.intake.importers.evernote:Evernote"),
    },
    group="tessera.importers",
    protocol=Importer,
)


def importer_of(folder: Path) -> Importer | None:
    """Return the importer that knows a folder, None for a folder of files as they are."""
    made = (IMPORTERS.make(name, folder) for name in IMPORTERS)
    return next((importer for importer in made if importer.knows), None)
