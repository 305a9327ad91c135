"""A workspace's services, each imported and built on first use so that commands start quickly."""

from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

from core.base.jobs import Jobs
from core.base.registry import lazy
from core.features import FEATURES
from core.indexing.bases import Bases, ModelSwitches, SyncedFolders
from core.indexing.chunks import Chunks
from core.indexing.embed_queue import PendingChunks
from core.indexing.models import Models
from core.intake.imports import Imports
from core.model import NotesDecided, bind_checks
from core.notes.attachments import Attachments
from core.notes.collection import Notes
from core.notes.renaming import Renames
from core.notes.texts import NoteTexts
from core.notes.trash import Trash
from core.notes.versions import Versions
from core.notes.writer import Files, Writer
from core.settings.config import Settings
from core.settings.file import SettingsFile
from core.settings.preferences import Preferences
from core.store import Store
from core.store.migrations import objects_of

if TYPE_CHECKING:
    from core.features.answers.service import Answers
    from core.features.archives.service import Archives
    from core.features.backups.service import Backups
    from core.features.doctor.doctor import Doctor
    from core.features.evaluation.note_questions import NoteChecks
    from core.features.evaluation.questions import Questions, QuestionSets
    from core.features.evaluation.runs import Runs
    from core.features.learning.service import Learning
    from core.features.packs.service import Packs
    from core.features.related.service import RelatedNotes
    from core.features.review.service import Review
    from core.features.threads.service import Threads
    from core.indexing.models.servers import Servers
    from core.intake.watching import TextFolders
    from core.notes.attachments import Pictures
    from core.notes.daily import DailyNotes
    from core.notes.documents import Documents
    from core.notes.fields import Vocabulary
    from core.notes.proposals import Proposals
    from core.notes.uses import Clicks, Uses
    from core.query.synonyms import SynonymsFile
    from core.retrieval.engine import SearchEngine
    from core.retrieval.images.index import ImageIndex
    from core.retrieval.neighbours.maps import NoteMaps
    from core.retrieval.neighbours.service import Neighbours

T = TypeVar("T")


class LazyService(lazy[T]):
    """A service built on first use. A lock ensures that concurrent threads don't build it twice."""

    if not TYPE_CHECKING:  # the types are those of cached_property

        def __get__(self, services, owner=None):
            with services._building:
                return super().__get__(services, owner)


class Services:
    """A workspace's services. Those needed by every command are built immediately."""

    def __init__(self, store: Store, settings: Settings, preferences: Preferences, jobs: Jobs) -> None:
        self._building = RLock()
        self.store = store
        self.settings = settings
        self.preferences = preferences
        self.jobs = jobs
        self.models = Models(store, settings, jobs)
        self.settings_file = SettingsFile(settings, lambda: self.servers.refresh())
        self.pending = PendingChunks(store, self.models)
        self.chunks = Chunks(store, self.models, self.pending)
        self.bases = Bases(
            store, settings, self.models, self.chunks, _renamed, lambda base: self.archives.put_into_trash(base)
        )
        self.folders = SyncedFolders(store)
        self._writer = Writer(store, self.pending)
        self.switches = ModelSwitches(store)
        self.imports = Imports(store, self.models, self.bases)
        self.notes = Notes(store, self.bases, self._writer)
        self.texts = NoteTexts(store)
        self.attachments = Attachments(store, self.bases, self.notes.links)
        self.versions = Versions(store, self._writer)
        self.files = Files(store, self._writer)
        self.renames = Renames(store, self._writer, self.files)
        self.trash = Trash(store, settings, self.bases, self._writer, self.files)
        store.versions.most = settings.keep_versions
        self.searches = store.searches
        self.creations = store.creations
        self.drafts = store.drafts

    @staticmethod
    def has(feature: str) -> bool:
        """Return whether a feature is installed. `feature` is the name of its folder."""
        return feature in FEATURES

    @LazyService
    def servers(self) -> "Servers":
        from core.indexing.models.servers import Servers

        return Servers(self.settings, self.models.forget)

    @LazyService
    def searching(self) -> "SearchEngine":
        from core.retrieval.engine import SearchEngine
        from core.retrieval.images.index import ImageSearch

        return SearchEngine(
            self.store,
            self.settings,
            self.models,
            self._synonyms,
            self.clicks,
            ImageSearch(self.store, self.settings, self.notes, self.jobs),
        )

    @LazyService
    def answers(self) -> "Answers":
        from core.features.answers.service import Answers
        from core.features.evaluation.note_questions import suggest

        return Answers(self.store, self.settings, self.searching, self.jobs, suggest, self.neighbours)

    @LazyService
    def threads(self) -> "Threads":
        from core.features.threads.service import Threads

        return Threads(self.store, self.settings, lambda: self.answers, self.notes, self.jobs)

    @LazyService
    def question_sets(self) -> "QuestionSets":
        from core.features.evaluation.questions import QuestionSets

        return QuestionSets(self.store)

    @LazyService
    def questions(self) -> "Questions":
        from core.features.evaluation.questions import Questions

        return Questions(self.store, self.settings)

    @LazyService
    def runs(self) -> "Runs":
        from core.features.answers.service import answerer
        from core.features.evaluation.runs import Runs

        return Runs(self.store, self.settings, self.models, self._synonyms, partial(answerer, self.settings))

    @LazyService
    def findability(self) -> "NoteChecks":
        from core.features.evaluation.note_questions import NoteChecks

        return NoteChecks(self.store, self.runs, self.preferences, self.jobs)

    @LazyService
    def neighbours(self) -> "Neighbours":
        from core.retrieval.neighbours.service import Neighbours

        return Neighbours(self.store, self.texts, lambda: self.searching)

    @LazyService
    def maps(self) -> "NoteMaps":
        from core.retrieval.neighbours.maps import NoteMaps

        return NoteMaps(self.store, self.neighbours.meaning)

    @LazyService
    def daily(self) -> "DailyNotes":
        from core.notes.daily import DailyNotes

        return DailyNotes(
            self.store,
            self.settings,
            self.settings_file,
            self.bases,
            self.notes,
            self.imports,
            self._writer,
            lambda: [pack.base for pack in self.packs.installed()] if self.has("packs") else [],
        )

    @LazyService
    def text_folders(self) -> "TextFolders":
        from core.intake.watching import TextFolders

        return TextFolders(self.settings, self.bases, self.imports)

    @LazyService
    def documents(self) -> "Documents":
        from core.notes.documents import Documents

        return Documents(self.store, self.preferences, self.bases, self._writer)

    @LazyService
    def pictures(self) -> "Pictures":
        from core.notes.attachments import Pictures

        return Pictures(self.store, self.pending, self.jobs)

    @LazyService
    def images(self) -> "ImageIndex":
        from core.retrieval.images.index import ImageIndex

        return ImageIndex(self.store, self.settings, self.jobs)

    @LazyService
    def proposals(self) -> "Proposals":
        from core.notes.proposals import Proposals

        return Proposals(self.store, self.bases, self._writer, self.notes, self.trash, self.attachments)

    def _settle_facts(self, decided: NotesDecided) -> None:
        """Record the user's decisions on notes suggested from a log."""
        if self.has("learning"):
            from core.features.learning.facts import FactTable

            FactTable(self.store.database).settle(decided.note_ids, decided.reason)

    @LazyService
    def review(self) -> "Review":
        from core.features.review.service import DigestDays, Reminders, Review
        from core.features.review.two_texts import TextConflicts

        upgrades = self.packs if self.has("packs") else None
        return Review(
            self.store,
            self.notes,
            self.chunks,
            self.proposals,
            self.neighbours,
            TextConflicts(self.store, self.notes, self.versions, self.trash, upgrades),
            Reminders(self.store, self.preferences),
            DigestDays(self.preferences),
        )

    @LazyService
    def related(self) -> "RelatedNotes":
        from core.features.related.service import RelatedNotes

        unreached = self.findability.unreached if self.has("evaluation") else None
        return RelatedNotes(self.store, self.notes, self.texts, self.neighbours, self.uses, unreached)

    @LazyService
    def learning(self) -> "Learning":
        from core.features.learning.service import Learning

        return Learning(self.store, self.settings, self.preferences, self.bases, self.notes)

    @LazyService
    def uses(self) -> "Uses":
        from core.notes.uses import Uses

        return Uses(self.store, self.settings, self.preferences)

    @LazyService
    def clicks(self) -> "Clicks":
        from core.notes.uses import Clicks

        return Clicks(self.store, self.settings, self.preferences)

    @LazyService
    def vocabulary(self) -> "Vocabulary":
        from core.notes.fields import Vocabulary

        return Vocabulary(self.store)

    @LazyService
    def packs(self) -> "Packs":
        from core.features.packs.service import Packs

        return Packs(self.store, self.settings, self.bases, self.pending)

    @LazyService
    def archives(self) -> "Archives":
        from core.features.archives.service import Archives
        from core.features.evaluation.run_table import RunTable

        return Archives(self.store, self.settings, self.bases, RunTable(self.store.database), self.attachments.find)

    @LazyService
    def backups(self) -> "Backups":
        from core.features.backups.service import Backups

        return Backups(
            self.store.folder, self.settings, self.preferences, self.jobs, self.store.database.read, objects_of
        )

    @LazyService
    def doctor(self) -> "Doctor":
        from core.features.doctor.doctor import Doctor
        from core.features.doctor.workspace_checks import WorkspaceParts

        backups = resources = archives = None
        if self.has("backups"):
            from core.features.backups import service

            backups = self.backups
            resources = bind_checks(service.CHECKS, self.backups)
        if self.has("archives"):
            from core.features.archives.service import CHECKS

            archives = bind_checks(CHECKS, self.archives)
        parts = WorkspaceParts(
            self.store, self.settings, self.settings_file, self.bases, self.models, self.servers, backups
        )
        return Doctor(parts, resources, archives)

    @LazyService
    def _synonyms(self) -> "SynonymsFile":
        from core.query.synonyms import SynonymsFile

        return SynonymsFile(self.store.folder, make=not self.store.readonly)


def _renamed(question: str, old: str, new: str) -> str:
    from core.query.parser import rename_base

    return rename_base(question, old, new)
