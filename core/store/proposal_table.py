"""Changes that programs propose, as rows; they go with their notes."""

import json
from datetime import datetime

from core.base.messages import message
from core.model import Proposal
from core.store.reading import RowReader, stored
from core.store.table import StoreTable

_PROPOSALS = """
    SELECT note_id, proposals.version, proposals.body, fields, at FROM proposals JOIN notes ON notes.id = note_id
    WHERE ?1 IS NULL OR base_id = ?1 ORDER BY at, note_id
"""


class ProposalTable(StoreTable):
    """The proposed changes of a workspace, at most one of a note."""

    def put(self, proposal: Proposal) -> None:
        """Write a proposal in place of the one of its note."""
        fields = json.dumps(proposal.fields, ensure_ascii=False, default=datetime.isoformat)
        self._database.execute(
            "INSERT OR REPLACE INTO proposals (note_id, version, body, fields, at) VALUES (?, ?, ?, ?, ?)",
            *(proposal.note_id, proposal.version, proposal.body, fields, proposal.at.isoformat()),
            aside=True,
        )

    def all(self, base_id: str | None = None) -> list[Proposal]:
        """Return the proposals, of all bases or of one, the oldest first."""
        return [_READER(dict(row), self._database.unread) for row in self._database.rows(_PROPOSALS, base_id)]

    def drop(self, note_id: str) -> None:
        """Delete the proposal of a note, if it has one."""
        self._database.execute("DELETE FROM proposals WHERE note_id = ?", note_id, aside=True)


_READER = RowReader(Proposal, message("proposed change"), "note_id", key="note_id", fields=stored(dict[str, object]))
