"""What programs write, and a person accepts or rejects: pending notes, and proposed changes of notes."""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Unpack

from core.errors import UnknownChoice
from core.model import Condition, Filters, Note, NoteCard, Proposal
from core.notes.collection import Notes
from core.notes.fields import NoteFields, check_text, checked
from core.notes.writer import check_version
from core.store import Store


class Proposals:
    """What programs wrote and what waits for a person. A base that trusts programs has their changes at once."""

    def __init__(self, store: Store, notes: Notes) -> None:
        self._store = store
        self._notes = notes

    # programs

    def add(self, base: str, body: str, *, path: str = "", **fields: Unpack[NoteFields]) -> Note:
        """Add a note to a base that is there, pending unless the base trusts programs; raises UnknownChoice."""
        into = self._store.bases.named(base)
        values: dict[str, Any] = dict(fields)
        if not into.trusts_programs:
            values["status"] = "pending"
        return self._notes.add(into.name, body, path=path, author="program", **values)

    def update(
        self,
        note_id: str,
        *,
        body: str | None = None,
        expected_version: int | None = None,
        **fields: Unpack[NoteFields],
    ) -> Note | Proposal:
        """Change a note, or propose the change where its base doesn't trust programs; a pending note is changed.

        Raises NoteNotFound, Conflict, and what `Notes.update` raises.
        """
        note = self._store.notes.note(note_id)
        if note.status == "pending" or self._store.bases.of_id(note.base_id).trusts_programs:
            values: dict[str, Any] = {name: value for name, value in fields.items() if name != "status"}
            return self._notes.update(note_id, body=body, expected_version=expected_version, author="program", **values)
        check_version(note, expected_version)
        checked(fields)
        check_text("text", body or "")
        proposal = Proposal(secrets.token_hex(6), note_id, note.version, body, dict(fields), datetime.now(UTC))
        self._store.proposals.put(proposal)
        return proposal

    # a person

    def notes(self) -> list[NoteCard]:
        """Return the pending notes."""
        return self._notes.cards(Filters(conditions=(Condition("status", ("pending",)),)))

    def changes(self) -> list[Proposal]:
        """Return the proposed changes, the oldest first."""
        return self._store.proposals.all()

    def accept(self, note_ids: Sequence[str] = (), changes: Sequence[str] = ()) -> None:
        """Let pending notes be active, and make proposed changes; raises Conflict for a note changed since."""
        self._notes.set_fields(note_ids, status="active")
        for proposal in self._chosen(changes):
            values: dict[str, Any] = proposal.fields
            self._notes.update(
                proposal.note_id, body=proposal.body, expected_version=proposal.version, author="program", **values
            )
            self._store.proposals.drop(proposal.id)

    def reject(self, note_ids: Sequence[str] = (), changes: Sequence[str] = ()) -> None:
        """Put pending notes into the trash, and drop proposed changes."""
        if note_ids:
            self._notes.delete(note_ids)
        for proposal in self._chosen(changes):
            self._store.proposals.drop(proposal.id)

    def _chosen(self, ids: Sequence[str]) -> list[Proposal]:
        by_id = {proposal.id: proposal for proposal in self.changes()}
        for proposal_id in ids:
            if proposal_id not in by_id:
                raise UnknownChoice("proposal", proposal_id, by_id)
        return [by_id[proposal_id] for proposal_id in ids]
