"""Pending notes and proposed changes, submitted by programs and accepted or rejected by the user."""

import re
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Unpack
from urllib.parse import quote

from core.base.call_log import log_call
from core.base.datetimes import utc_now
from core.base.errors import Conflict, EditError
from core.base.frozen import AnyValues, TextMap, ValueMap
from core.base.text import one_line
from core.indexing.bases import Bases
from core.intake import notefile
from core.intake.notefile import document_note
from core.intake.webpage import address_parts
from core.model import (
    Condition,
    Filters,
    NewNoteFields,
    Note,
    NoteDifference,
    NoteFields,
    NotesDecided,
    Proposal,
    Revision,
    Submission,
)
from core.notes.attachments import Attachments, check_picture
from core.notes.collection import Notes
from core.notes.fields import check_fields, with_fields
from core.notes.texts import with_body
from core.notes.trash import Trash
from core.notes.versions import between
from core.notes.writer import Writer, check_new, check_text_writable, check_version
from core.store import Store

_MOST_PICTURES = 100


@dataclass
class Proposals:
    """Programs' submissions, which await the user's review.

    In a base that trusts programs, changes by programs take effect at once.
    """

    _store: Store
    _bases: Bases
    _writer: Writer
    _notes: Notes
    _trash: Trash
    _attachments: Attachments

    # for programs

    def add(self, base: str, body: str, *, path: str = "", **fields: Unpack[NewNoteFields]) -> Note:
        """Add a note to a base. The note is pending unless the base trusts programs.

        A workspace's first note creates its base. Raises UnknownChoice if the base is unknown but the workspace has
        others, and the same errors as `Notes.add`.
        """
        if self._bases.all():
            self._bases.get(base)
        return self._add(base, body, path=path, **fields)

    def _add(self, base: str, body: str, *, path: str = "", **fields: Unpack[NewNoteFields]) -> Note:
        into = self._bases.find(base)
        values: AnyValues = {**fields} if into and into.trusts_programs else {**fields, "status": "pending"}
        return self._notes.add(into.name if into else base, body, path=path, author="program", **values)

    def add_page(self, base: str, html: str, *, address: str, title: str = "", pictures: TextMap | None = None) -> Note:
        """Add a web page, or part of a page, sent by a browser. Unlike `add`, this method creates any missing base.

        `pictures` maps names to Base64 data. In the page, a picture's description is enclosed in two copies of the
        picture's name. Raises SourceError if the address isn't a web address or the page has no text, and EditError if
        the data isn't a picture.
        """
        name = f"{address_parts(address).hostname}.html"
        if self._bases.find(base) is None:
            self._bases.check_name(base)
        # The page may declare another encoding, the one its bytes had originally.
        page = document_note(notefile.document_text(html.encode("utf-8", "replace"), name, encoding="utf-8"), name).note
        created = page.created_at.date().isoformat() if page.created_at else ""
        title = title or page.title
        body = page.body
        fields: NewNoteFields = {"title": title, "source": "import", "source_url": address, "created": created}
        # Everything is checked before the first picture is stored, so that an error leaves nothing behind.
        check_new({**fields})
        decoded = {}
        for mark, picture in islice((pictures or {}).items(), _MOST_PICTURES):
            if not re.fullmatch(r"[a-z0-9]{16,64}", mark):
                raise EditError(
                    "'{name}' isn't a valid name for a picture. Use 16 to 64 letters and digits.", name=mark
                )
            try:
                decoded[mark] = b64decode(picture, validate=True)
            except ValueError as error:
                raise EditError("A picture isn't encoded in Base64.") from error
            check_picture(decoded[mark])
        for mark, data in decoded.items():
            shown = re.compile(f"{mark}(.*?){mark}")
            if shown.search(body):
                path = quote(self._attachments.add(base, f"{title}.webp", data, author="program"))
                body = shown.sub(rf"![\1]({path})", body)
        return self._add(base, body, **fields)

    @log_call("note.propose")
    def update(
        self,
        note_id: str,
        *,
        body: str | None = None,
        expected_version: int | None = None,
        **fields: Unpack[NoteFields],
    ) -> Note | Proposal:
        """Change a note, or propose the change if the note's base doesn't trust programs.

        A proposal is merged with any earlier proposal for the note. A pending note that was last written by a program
        is changed directly and stays pending. Raises the same errors as `Notes.update`.
        """
        note = self._store.note(note_id)
        self._store.log_notes([note_id])
        values: AnyValues = dict(fields)
        if not self._store.base(note.base_id).trusts_programs:
            check_version(note, expected_version)
            if not self._is_programs(note):
                return self._propose(note, body, fields)
            values["status"] = "pending"
            expected_version = note.version
        return self._notes.update(note_id, body=body, expected_version=expected_version, author="program", **values)

    def _is_programs(self, note: Note) -> bool:
        """Return whether a note is pending and was last written by a program."""
        return note.status == "pending" and self._store.versions.for_note(note.id)[0].author == "program"

    def check_movable(self, note_ids: Iterable[str]) -> None:
        """Raise EditError if programs may not move one of the notes.

        In a base that doesn't trust programs, they may move only pending notes that a program wrote.
        """
        for note in map(self._store.note, note_ids):
            base = self._store.base(note.base_id)
            if not (base.trusts_programs or self._is_programs(note)):
                raise EditError(
                    "Programs can move notes only in bases that trust programs, and '{base}' isn't one of them.",
                    base=base.name,
                )

    def _propose(self, note: Note, body: str | None, fields: ValueMap) -> Note | Proposal:
        """Store and return a proposed change, merged with any earlier one. Return the note if nothing would change."""
        proposal = Proposal(note.id, note.version, body, check_fields(fields), utc_now())
        changed = _changed(note, proposal)
        check_text_writable(self._store.base(note.base_id), note, changed)
        if changed == note:
            return note
        with self._store.changing:
            self._store.note(note.id)
            for earlier in self._store.proposals.all(note.base_id):
                if earlier.note_id == note.id:
                    if body is None and earlier.body is not None:  # the version belongs to the proposal with the text
                        proposal = replace(proposal, body=earlier.body, version=earlier.version)
                    proposal = replace(proposal, fields=earlier.fields | proposal.fields)
            self._store.proposals.put(proposal)
        return proposal

    # for the user

    def all(self, base: str | None = None) -> list[Submission]:
        """Return the pending notes and the proposed changes in a base, or in all bases, oldest first."""
        cards = self._notes.all(Filters(bases=(base,) if base else (), conditions=(Condition("status", ("pending",)),)))
        newest = {card.id: self._store.versions.for_note(card.id)[0] for card in cards}
        waiting = {card.id: Submission(card, newest[card.id].author, newest[card.id].at) for card in cards}
        changes = self._store.proposals.all(self._bases.get(base).id if base else None)
        changed = self._store.notes.cards_of(change.note_id for change in changes)
        waiting |= {
            change.note_id: Submission(changed[change.note_id], "program", change.at, change)
            for change in changes
            if change.note_id in changed
        }
        return sorted(waiting.values(), key=lambda submission: (submission.at, submission.note.id))

    def get(self, note_id: str) -> Submission:
        """Return a note's submission, preferably its proposed change.

        Raises NoteNotFound, and EditError if there is no submission.
        """
        return self._among({submission.note.id: submission for submission in self.all()}, note_id)

    def proposed(self, submission: Submission) -> Note:
        """Return the note as it would be after accepting the submission. Raises NoteNotFound."""
        note = self._store.note(submission.note.id)
        return _changed(note, submission.change) if submission.change else replace(note, status="active")

    def difference(self, submission: Submission) -> NoteDifference:
        """Return what accepting a submission would change in its note, word by word. Raises NoteNotFound."""
        return between(self._store.note(submission.note.id), self.proposed(submission))

    @log_call("note.accept")
    def accept(self, submissions: Iterable[Submission], *, over: int | None = None, embed: bool = True) -> None:
        """Activate pending notes and apply proposed changes, as returned by `all`.

        Errors are raised before anything is written. Raises Conflict if a submission has changed since it was returned.
        Also raises Conflict if a note has changed since the proposal, unless the note's version is `over`. Raises
        EditError if a submission was already decided, and the same errors as `Notes.update`.
        """
        with self._store.changing:
            chosen = self.current(submissions)
            for submission in chosen:
                note = self._store.note(submission.note.id)
                if (change := submission.change) and note.version not in (change.version, over):
                    raise Conflict(
                        (
                            "'{title}' was edited after a program proposed a change. The note is now at version "
                            "{now}, but the change was made for version {before}. Compare the two versions, then "
                            "accept the change for version {now}, or reject it."
                        ),
                        note,
                        change.version,
                        title=note.title,
                        now=note.version,
                        before=change.version,
                    )
            pending = [submission.note.id for submission in chosen if submission.change is None]
            self._writer.change_all(pending, partial(replace, status="active"), Revision("accept", "person"))
            self._store.events.publish(NotesDecided(tuple(pending), None))
            changed = [
                self._make(replace(submission.change, version=submission.note.version)).id
                for submission in chosen
                if submission.change
            ]
        self._writer.index(pending + changed, embed=embed)

    def make(self, change: Proposal, *, embed: bool = True) -> Note:
        """Apply a proposed change, which the user may have edited, and return the note.

        The note's proposal is dropped in the same transaction. Raises Conflict if the note is no longer at the change's
        version.
        """
        note = self._make(change)
        self._writer.index([change.note_id], embed=embed)
        return note

    def _make(self, change: Proposal) -> Note:
        with self._store.changing:
            note = self._writer.change(
                change.note_id,
                partial(with_fields, fields=change.fields),
                Revision("propose", "person"),
                change.version,
                body=change.body,
            )
            self._store.proposals.drop(change.note_id)  # `change` doesn't drop it if nothing changes
        return note

    @log_call("note.reject")
    def reject(self, submissions: Iterable[Submission], *, reason: str = "") -> None:
        """Move pending notes to the trash, and drop proposed changes.

        A rejected fact from a log isn't suggested again. The reason is stored with the fact. Raises EditError and
        Conflict under the same conditions as `accept`.
        """
        with self._store.changing:
            chosen = self.current(submissions)
            for submission in chosen:
                if submission.change:
                    self._store.proposals.drop(submission.note.id)
            self._store.log_notes([submission.note.id for submission in chosen])
            pending = [submission.note.id for submission in chosen if submission.change is None]
            self._trash.put(pending)
            self._store.events.publish(NotesDecided(tuple(pending), one_line(reason)))

    @log_call("note.restore_proposal")
    def restore(self, changes: Sequence[Proposal]) -> None:
        """Put rejected changes back into review, except those whose notes no longer exist."""
        with self._store.changing:
            there = self._store.notes.base_ids(change.note_id for change in changes)
            self._store.log_notes(there)
            for change in changes:
                if change.note_id in there:
                    self._store.proposals.put(change)

    def _among(self, waiting: Mapping[str, Submission], note_id: str) -> Submission:
        if note_id not in waiting:
            raise EditError(
                "There is nothing left to accept or reject for '{title}'.", title=self._store.notes.title(note_id)
            )
        return waiting[note_id]

    def current(self, submissions: Iterable[Submission]) -> list[Submission]:
        """Return the submissions after checking that they are up to date.

        Raises EditError if one was already decided, and Conflict if one has changed since the user saw it.
        """
        chosen = list(submissions)
        waiting = {submission.note.id: submission for submission in self.all()}
        for submission in chosen:
            now = self._among(waiting, submission.note.id)
            if (now.change, now.note.version) != (submission.change, submission.note.version):
                raise Conflict(
                    (
                        "The proposed text of '{title}' has changed since you looked at it. Look at "
                        "it again, then accept or reject it."
                    ),
                    self._store.note(submission.note.id),
                    submission.note.version,
                    title=submission.note.title,
                )
        return chosen


def _changed(note: Note, change: Proposal) -> Note:
    return with_body(with_fields(note, change.fields), note.body if change.body is None else change.body)[0]
