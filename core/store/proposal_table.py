"""Changes that programs propose, as rows; they go with their notes."""

import json
from datetime import datetime

from core.model import Proposal
from core.store.database import Table, decoding

_PROPOSAL = "SELECT id, note_id, version, body, fields, at FROM proposals"


class ProposalTable(Table):
    """The proposed changes of a workspace."""

    def put(self, proposal: Proposal) -> None:
        fields = json.dumps(proposal.fields, ensure_ascii=False)
        self._database.execute(
            "INSERT INTO proposals (id, note_id, version, body, fields, at) VALUES (?, ?, ?, ?, ?, ?)",
            *(proposal.id, proposal.note_id, proposal.version, proposal.body, fields, proposal.at.isoformat()),
            aside=True,
        )

    @decoding
    def all(self) -> list[Proposal]:
        """Return the proposals, the oldest first."""
        return [
            Proposal(id_, note_id, version, body, json.loads(fields), datetime.fromisoformat(at))
            for id_, note_id, version, body, fields, at in self._database.rows(f"{_PROPOSAL} ORDER BY at, id")
        ]

    def drop(self, proposal_id: str) -> None:
        self._database.execute("DELETE FROM proposals WHERE id = ?", proposal_id, aside=True)
