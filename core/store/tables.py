"""All tables of the database."""

from core.store.base_table import BaseTable
from core.store.chunk_table import ChunkTable
from core.store.click_table import ClickTable
from core.store.creation_table import CreationTable
from core.store.database import Database
from core.store.document_table import DocumentTable
from core.store.draft_table import DraftTable
from core.store.edit_table import EditTable
from core.store.field_table import FieldTable
from core.store.image_table import ImageTable
from core.store.note_table import NoteTable
from core.store.note_vectors import NoteVectors
from core.store.pending_table import PendingTable
from core.store.picture_table import PictureTable
from core.store.property_table import PropertyTable
from core.store.proposal_table import ProposalTable
from core.store.question_table import QuestionTable
from core.store.refusal_table import RefusalTable
from core.store.search_table import SearchTable
from core.store.switch_table import SwitchTable
from core.store.title_table import TitleTable
from core.store.use_table import UseTable
from core.store.vector_table import VectorTable
from core.store.version_table import VersionTable
from core.store.words import Words


class Tables:
    """The tables of a workspace, one object for each noun."""

    def __init__(self, database: Database) -> None:
        self.bases = BaseTable(database)
        self.notes = NoteTable(database)
        self.note_vectors = NoteVectors(database)
        self.fields = FieldTable(database)
        self.properties = PropertyTable(database)
        self.titles = TitleTable(database)
        self.chunks = ChunkTable(database)
        self.pending = PendingTable(database)
        self.words = Words(database)
        if not database.readonly:
            self.words.bring_up_to_date()
        self.vectors = VectorTable(database)
        self.refusals = RefusalTable(database)
        self.edits = EditTable(database)
        self.versions = VersionTable(database)
        self.drafts = DraftTable(database)
        self.proposals = ProposalTable(database)
        self.creations = CreationTable(database)
        self.documents = DocumentTable(database)
        self.pictures = PictureTable(database)
        self.images = ImageTable(database)
        self.switches = SwitchTable(database)
        self.searches = SearchTable(database)
        self.uses = UseTable(database)
        self.clicks = ClickTable(database)
        self.questions = QuestionTable(database)
