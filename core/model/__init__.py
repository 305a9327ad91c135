"""Tessera's data model: frozen dataclasses with no behaviour beyond derived properties.

files -> notes -> chunks -> windows -> vectors -> hits -> context

`start` and `end` are half-open character offsets, times named `*_at` are in UTC, and higher scores are better.
"""

from core.base.datetimes import *
from core.model.answers import *
from core.model.bases import *
from core.model.chunks import *
from core.model.evaluation import *
from core.model.events import *
from core.model.health import *
from core.model.labels import *
from core.model.learning import *
from core.model.machine import *
from core.model.note_fields import *
from core.model.notes import *
from core.model.related import *
from core.model.review import *
from core.model.search import *
from core.model.settings import *
from core.model.syncing import *
from core.model.uses import *
from core.model.versions import *
from core.model.work import *
