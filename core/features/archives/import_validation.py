"""Validate imported archives. Every record is checked field by field, and the base gets no permissions.

Imported notes live in the workspace. Their base may not read or write files, read images or trust programs, and it is
searched with local models. The model named in the archive is only recorded as a wish. If a field is invalid, the
functions raise RowError with the field's name.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeVar, get_args

from core import chunking, embedding, reranking
from core.base.errors import RowError, TesseraError
from core.base.frozen import AnyValues, ValueMap, Values, attributes
from core.base.messages import Message, message
from core.base.text import one_line, stem
from core.features.archives.records import (
    NoteRecord,
    RecordParts,
    Records,
    RunRecord,
    SetRecord,
    VersionRecord,
    change_values,
    is_id,
)
from core.intake.encoding import MAX_BYTES
from core.intake.folder import content_hash, is_safe
from core.intake.rows import noun
from core.markdown import frontmatter
from core.markdown.frontmatter import MAX_CHARACTERS
from core.model import (
    LONGEST_CONTEXT,
    NOTE_FIELDS,
    NOTE_SOURCES,
    OMISSION_KINDS,
    Author,
    ChunkingOptions,
    Edit,
    KnowledgeBase,
    Note,
    Pipeline,
    Proposal,
    RequestedPermissions,
    SearchSettings,
    Use,
    in_utc,
    summed,
)
from core.notes.fields import check_fields
from core.notes.file_writing import read_front
from core.settings import config

T = TypeVar("T")

# Maximum length of a note's properties as JSON, enough for the longest front matter.
_MOST_EXTRA = 8 * MAX_CHARACTERS
_MOST_PATH = 4096
_MOST_PART = 255
_MOST_NUMBER = 2**53


def admit(records: Records, usual: str) -> Records:
    """Return an archive's records after validation, with all permissions removed.

    `usual` is the default model for the base.
    """
    of_archive = records.base
    into = base(of_archive, usual)

    def validate_note(record: NoteRecord) -> NoteRecord:
        if record.chunking:
            _check_chunking(record.chunking)
        return NoteRecord(note(record.note, into), chunking=record.chunking)

    def validate_version(record: VersionRecord) -> VersionRecord:
        return replace(_sound(record), note=note(record.note, into))

    return replace(
        records,
        base=into,
        powers=RequestedPermissions(
            tuple(
                name
                for name in ("write_files", "watch", "trusts_programs", "read_pictures")
                if getattr(of_archive, name)
            ),
            tuple(one_line(folder)[:_MOST_PATH] for folder in records.powers.folders),
            "" if into.search.reranker == of_archive.search.reranker else one_line(str(of_archive.search.reranker)),
        ),
        notes=records.notes.map(validate_note),
        versions=records.versions.map(validate_version),
        edits=records.edits.map(_edit),
        proposals=records.proposals.map(_proposal),
        sets=records.sets.map(partial(_set, into=into)),
        runs=records.runs.map(partial(_run, into=into)),
        uses=records.uses.map(_use),
        syncs=RecordParts(),
    )


def base(of_archive: KnowledgeBase, usual: str) -> KnowledgeBase:
    """Return an archive's base with all permissions removed. Its model is replaced by `usual` unless it is built in."""
    of_archive = _sound(of_archive)
    for name in ("embedder", "wish"):  # the name is checked like that of any new base
        text = getattr(of_archive, name)
        if len(text) > _MOST_PATH or re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", text):
            raise RowError("'{name}' must be a single line of at most {most} characters.", name=name, most=_MOST_PATH)
    own = of_archive.embedder
    wanted = of_archive.wish or own
    embedder = own if own == usual or embedding.is_built_in(own) else usual
    has_wish = of_archive.has_vectors and wanted not in ("", embedding.AUTO, embedder)
    options = replace(of_archive.chunking, strategy="lines") if of_archive.kind == "lines" else of_archive.chunking
    _check_chunking(options)
    return replace(
        of_archive,
        embedder=embedder,
        wish=wanted if has_wish else "",
        fingerprint="",
        dimension=0,
        chunking=options,
        search=_search(of_archive.search),
        index_generation=0,
        synced_at=None,
        write_files=False,
        watch=False,
        trusts_programs=False,
        read_pictures=False,
    )


def note(from_outside: Note, into: KnowledgeBase) -> Note:
    """Convert an imported note to one that lives in the workspace, in the given base."""
    front = from_outside.front or ""
    body = from_outside.body
    if from_outside.base_id != into.id:
        raise RowError("this note belongs to another base.")
    _check_path(from_outside.path)
    data = (front + body).encode()
    # A UTF-16 file of MAX_BYTES has MAX_BYTES // 2 characters. In UTF-8, they may take more than MAX_BYTES.
    if len(data) > MAX_BYTES and len(front) + len(body) > MAX_BYTES // 2:
        raise RowError("it is {size:.1f} MB; the limit is {limit} MB.", size=len(data) / 2**20, limit=MAX_BYTES >> 20)
    _expect(
        frontmatter.delimited(front).body == len(front),
        "front",
        message("front matter between two delimiter lines"),
    )
    _expect(from_outside.version > 0, "version", message("a whole number"))
    url = from_outside.source_url
    _expect(not url or url.startswith(("http://", "https://")), "source_url", message("a web address"))
    arrived = replace(
        from_outside,
        title=from_outside.title if from_outside.title.strip() else stem(from_outside.path or "note.md"),
        source=from_outside.source if from_outside.source in (*get_args(Author), *NOTE_SOURCES) else "upload",
        source_ref="",
        content_hash=content_hash(data),
        body_start=len(front),
        overridden={},
        extra=_extra(from_outside.extra),
        warnings=tuple(read_front(front).warnings) if from_outside.warnings else (),
        left_out=summed(
            omission for omission in from_outside.left_out if omission.kind in OMISSION_KINDS and omission.count > 0
        ),
        plain=into.plain,
        encoding=None,
    )
    return _sound(replace(arrived, **_fields(attributes(arrived, NOTE_FIELDS))))


def _fields(values: ValueMap) -> AnyValues:
    """Check a note's fields in the same way as fields set by the user or a program, and return them."""
    sound: Values = {}
    for name, value in values.items():
        with _name_field(name):
            sound |= check_fields({name: value})
        _check_size(name, sound[name])
    return sound


def _extra(extra: Values) -> Values:
    aliases = extra.get("aliases", [])
    _expect(
        isinstance(aliases, list) and all(isinstance(alias, str) for alias in aliases),
        "extra.aliases",
        message("a list of strings"),
    )
    _check_size("extra", extra)
    return extra


def _check_size(name: str, value: object) -> None:
    if len(json.dumps(value, ensure_ascii=False, default=str)) > _MOST_EXTRA:
        raise RowError("'{name}' is too long.", name=name)


def _check_path(path: str | None) -> None:
    if path is None:
        return
    if not is_safe(path):
        raise RowError("the path '{path}' could point outside the folder.", path=path[:_MOST_PART])
    if len(path) > _MOST_PATH or any(len(part) > _MOST_PART for part in path.split("/")):
        raise RowError("the path '{path}…' is too long.", path=path[:_MOST_PART])


def _edit(edit: Edit) -> Edit:
    if edit.anchor_start < 0:
        raise RowError("the position of this edit is out of range.")
    return _sound(edit)


def _proposal(proposal: Proposal) -> Proposal:
    if proposal.version < 1:
        raise RowError("the version of this change is out of range.")
    return _sound(replace(proposal, fields=_fields(proposal.fields)))


def _use(use: Use) -> Use:
    if max(len(use.used_in), len(use.context)) > LONGEST_CONTEXT:
        raise RowError("the place or context of this recorded use is too long.")
    return _sound(use)


def _set(record: SetRecord, into: KnowledgeBase) -> SetRecord:
    if record.set.base_id != into.id:
        raise RowError("this question set belongs to another base.")
    record = _sound(record)
    name = record.set.name
    if not name.strip():
        raise RowError("the field '{name}' is missing.", name="name")
    _check_size("name", name)
    ids = [question.id for question in record.questions]
    if len({*ids}) < len(ids):
        raise RowError("two questions of the question set '{set}' have the same id.", set=name)
    for question in record.questions:
        if not question.id.strip() or not question.text.strip():
            raise RowError("a question in the question set '{set}' has no id or no text.", set=name)
        if any(not 0 <= gold.start <= gold.end for gold in question.spans):
            raise RowError("a passage of the question '{id}' is out of range.", id=question.id[:_MOST_PART])
    return record


def _run(record: RunRecord, into: KnowledgeBase) -> RunRecord:
    record = _sound(record)
    run = record.run
    if run.base_id != into.id:
        raise RowError("this test run belongs to another base.")
    _expect(
        all(re.fullmatch(r"(?a)\d{1,9}", number) for number in record.results),
        "results",
        message("an object with question numbers as keys"),
    )
    settings: Values = {"embedder": one_line(str(run.settings.get("embedder", "")))[:_MOST_PART]}
    for kind in (ChunkingOptions, SearchSettings):
        own = {name: value for name, value in run.settings.items() if name in kind.__dataclass_fields__}
        checked = noun(kind, own)
        settings |= attributes(checked, own)
    return replace(record, run=replace(run, settings=settings, pipeline=_pipeline(run.pipeline)))


def _pipeline(pipeline: Pipeline) -> Pipeline:
    """Remove a pipeline's language model, and its embedder and reranker unless they are built in."""
    if pipeline.chunking:
        _check_chunking(pipeline.chunking)
    return replace(
        pipeline,
        embedder=pipeline.embedder if embedding.is_built_in(pipeline.embedder) else "",
        search=_search(pipeline.search),
        name=one_line(pipeline.name),
        answers="quotes",
        judge="none",
    )


def _search(search: SearchSettings) -> SearchSettings:
    """Remove the reranker from search settings unless it is built in.

    Any other reranker may need a network, a server or a file.
    """
    with _name_field("search"):
        config.check(search)
    if search.reranker is None or reranking.is_built_in(search.reranker):
        return search
    return replace(search, reranker=None)


def _check_chunking(options: ChunkingOptions) -> None:
    with _name_field("chunking"):
        chunking.build(options)


@contextmanager
def _name_field(name: str) -> Iterator[None]:
    """Convert an error raised in the `with` block to a RowError that names the field."""
    try:
        yield
    except RowError:
        raise
    except TesseraError as error:
        raise RowError("'{name}': {reason}", name=name, reason=error.message) from error
    except (OverflowError, ValueError, TypeError) as error:
        raise RowError("'{name}' can't be read.", name=name) from error


def _sound(value: T) -> T:
    """Return an object with its times in UTC. Raises RowError if a number, string or id is invalid."""
    sound: T = change_values(value, _validate_value)
    return sound


def _validate_value(value: object, owner: type, name: str) -> object:
    if isinstance(value, datetime):
        return in_utc(value)
    if (isinstance(value, int) and abs(value) > _MOST_NUMBER) or (isinstance(value, str) and len(value) > MAX_BYTES):
        raise RowError("'{name}' is out of range.", name=name)
    if isinstance(value, str) and is_id(owner, name):
        _expect(bool(re.fullmatch(r"(?a)[\w:.-]{0,100}", value)), name, message("an id of letters and digits"))
    return value


def _expect(fits: bool, name: str, kind: Message) -> None:
    if not fits:
        raise RowError("'{name}' must be {kind}.", name=name, kind=kind)
