"""Links between notes, resolved as in Obsidian, and backlinks."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from posixpath import basename, dirname, join, normpath

from core.base.errors import NoteNotFound, QueryError
from core.base.frozen import frozen
from core.base.text import name_key, shared_length
from core.model import NOTE_SUFFIXES, Note
from core.store import Store
from core.store.note_rows import NoteNames
from core.store.reading import texts

# Kinds of names that links may use for notes, most specific first.
_PATH, _FILE, _TITLE, _ALIAS = range(4)

# Maximum number of notes with the same name listed in an error.
_LISTED = 10


@frozen
class NoteLink:
    """A link in a note, with its target as written, and the target note's id, or None if there is no such note."""

    target: str
    note_id: str | None


class NoteLinks:
    """A snapshot of the names of a workspace's notes, used to resolve links.

    Names are compared ignoring case and note suffixes such as `.md`.
    """

    def __init__(self, store: Store, names: Iterable[NoteNames] | None = None) -> None:
        self._store = store
        self.names = {named.id: named for named in (store.notes.named() if names is None else names)}
        """Each note's names, by note id."""
        self._by_name = defaultdict[str, list[tuple[int, NoteNames]]](list)
        for named in self.names.values():
            for kind, name in _names(named):
                self._by_name[name].append((kind, named))

    def renamed(self, names: Mapping[str, tuple[str, str | None]]) -> "NoteLinks":
        """Return a copy in which some notes are renamed. `names` maps their ids to new titles and paths."""
        renamed = {item: replace(self.names[item], title=title, path=path) for item, (title, path) in names.items()}
        return NoteLinks(self._store, (self.names | renamed).values())

    def title(self, note_id: str) -> str:
        return self.names[note_id].title

    def name(self, note_id: str) -> str:
        """Return the name to use in links to a note.

        This is the note's file name, or its title if it has no file. If several notes share the file name, the note's
        path is used. A path that is also the end of another path gets a leading slash.
        """
        path = self.names[note_id].path
        name = _without_suffix(basename(path) if path else self.title(note_id))
        namesakes = {named.id: named for _, named in self._by_name[plain(name)]}
        if path is None or len(namesakes) == 1:
            return name
        path = _without_suffix(path)
        ending = f"/{plain(path)}"
        others = [f"/{plain(named.path or '')}" for key, named in namesakes.items() if key != note_id]
        return f"/{path}" if any(other.endswith(ending) for other in others) else path

    def namesakes(self, note_id: str) -> set[str]:
        """Return the ids of all notes that share a name with a note, including the note's own id."""
        return {named.id for _, name in _names(self.names[note_id]) for _, named in self._by_name[name]}

    def target(self, note: Note | NoteNames, target: str) -> str | None:
        """Return the id of the note that a link in `note` leads to, or None if there is no such note.

        If several notes match, the nearest one is returned, preferably one in the same base.

        `target` is a path, a file name, a title or an alias, without a heading. A path is relative to the top of the
        note's folder or to the note, or it is the end of a path. A path with a leading slash may start above that
        folder.
        """
        wanted = plain(target).strip("/")
        folder = dirname(note.location)
        near = plain(normpath(join(folder, target)).lstrip("/"))
        best = min(
            (
                (named.base_id != note.base_id, *rank, _steps(folder, named), named.location, named.id)
                for kind, named in self._by_name.get(basename(near) or wanted, ())
                if (rank := _rank(kind, named, note, wanted, near)) is not None
            ),
            default=None,
        )
        if best is None and "/" in wanted:
            # A title may contain a slash, and the top of a website or repository may be above the imported folder.
            titled = min(((kind, named.id) for kind, named in self._by_name.get(wanted, ())), default=(0, None))[1]
            return titled or (self._below(note, plain(normpath(target))) if target.startswith("/") else None)
        return best[-1] if best else None

    def _below(self, note: Note | NoteNames, wanted: str) -> str | None:
        """Return the id of the best-matching note for a path that begins above the folder of that note."""
        folder = dirname(note.location)
        best = min(
            (
                (
                    named.base_id != note.base_id,
                    -len(path),
                    named.source_ref != note.source_ref,
                    _steps(folder, named),
                    named.id,
                )
                for _, named in self._by_name.get(basename(wanted), ())
                if "/" in (path := plain(named.location)) and wanted.endswith(f"/{path}")
            ),
            default=None,
        )
        return best[-1] if best else None

    def called(self, name: str) -> set[str]:
        """Return the ids of the notes that a name refers to. The name is an id, or any name that works in a link.

        Exact paths and titles take precedence over other spellings, which are ranked as they are for links.
        """
        if name in self.names:
            return {name}
        wanted = plain(name).strip("/")
        ranked = [
            (rank, named)
            for kind, named in self._by_name.get(basename(wanted), ())
            if (rank := _rank(kind, named, named, wanted, wanted)) is not None
        ]
        if "/" in wanted:  # a title may contain a slash
            ranked += [((kind, True), named) for kind, named in self._by_name.get(wanted, ())]
        exact = {named.id for _, named in ranked if name in (named.path, named.title)}
        best = min((rank for rank, _ in ranked), default=None)
        return exact or {named.id for rank, named in ranked if rank == best}

    def single(self, name: str) -> str:
        """Return the id of the only note with this name. Raises NoteNotFound, or QueryError if there are several."""
        note_ids = sorted(self.called(name))
        if len(note_ids) > 1:
            ids = [f"{note_id} ({self.names[note_id].path})" for note_id in note_ids[:_LISTED]]
            ids += ["…"] if len(note_ids) > _LISTED else []
            raise QueryError(
                "{n} notes are called '{name}'. Use the id of one of them instead: {ids}.",
                n=len(note_ids),
                name=name,
                ids=ids,
            )
        if not note_ids:
            raise NoteNotFound(name)
        return note_ids[0]

    def resolve(self, note: Note | NoteNames, targets: Sequence[str]) -> list[NoteLink]:
        """Resolve a note's links, leaving out links to the note itself."""
        links = (NoteLink(target, self.target(note, target)) for target in targets)
        return [link for link in links if link.note_id != note.id]

    def to(self, *note_ids: str) -> list[str]:
        """Return the ids of the notes that link to any of the given notes other than themselves, ordered by path."""
        names = {name for note_id in note_ids for _, name in _names(self.names[note_id])}
        escaped = [json.dumps(name, ensure_ascii=False)[1:-1] for name in names]
        linking = []
        for other, links in self._store.notes.linking():
            folded = name_key(links)
            if other not in self.names or not any(name in folded for name in escaped):
                continue
            targets = (
                target
                for target in texts(links)
                if plain(target.rstrip("/").rpartition("/")[2]) in names or plain(target) in names
            )
            wanted = {*note_ids} - {other}
            if any(self.target(self.names[other], target) in wanted for target in targets):
                linking.append(other)
        return sorted(linking, key=lambda item: (self.names[item].location, item))

    def among(self, note_ids: Iterable[str]) -> list[tuple[str, str]]:
        """Return the links between the given notes as pairs of source and target ids."""
        wanted = {note_id for note_id in note_ids if note_id in self.names}
        pairs = {
            (item, self.target(self.names[item], target))
            for item, texts in self._store.notes.links_of(wanted).items()
            for target in texts
        }
        return sorted((item, other) for item, other in pairs if other in wanted and other != item)


def plain(name: str) -> str:
    """Compose and case-fold a name for comparison, and remove a note suffix such as `.md`."""
    return _without_suffix(name_key(name.strip()))


def _without_suffix(name: str) -> str:
    return name.rpartition(".")[0] if name.lower().endswith(NOTE_SUFFIXES) else name


def _names(named: NoteNames) -> Iterator[tuple[int, str]]:
    if named.path:
        yield _FILE, plain(basename(named.path))
    yield _TITLE, plain(named.title)
    for alias in named.aliases:
        yield _ALIAS, plain(alias)


def _rank(kind: int, named: NoteNames, note: Note | NoteNames, wanted: str, near: str) -> tuple[int, bool] | None:
    """Return how well a note matches the name in a link, as a rank, or None if it doesn't match.

    Lower ranks are better.
    """
    elsewhere = named.source_ref != note.source_ref
    if kind != _FILE:
        return None if "/" in wanted else (kind, elsewhere)
    path = plain(named.location)
    if path == near or ("/" in wanted and path == wanted):
        return _PATH, elsewhere
    return None if "/" in wanted and not f"/{path}".endswith(f"/{wanted}") else (kind, elsewhere)


def _steps(folder: str, named: NoteNames) -> int:
    """Return the number of steps in the folder tree from `folder` to a note's folder."""
    here = folder.split("/") if folder else []
    there = named.location.split("/")[:-1]
    return len(here) + len(there) - 2 * shared_length(here, there)
