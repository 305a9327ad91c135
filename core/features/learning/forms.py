"""Results of learning from logs as JSON."""

from core import model
from core.doors.operations.forms import Form
from core.model import Failed

_DROPPED = Form("DroppedSuggestion", model.Dropped, "title reason")
_LOG = Form(
    "LearntLog",
    model.LearntLog,
    "name format events secrets cut left_out unsent facts known rejected suggested=note_ids by_model",
    dropped=([_DROPPED], "dropped"),
)
_FAILED = Form("UnreadLog", Failed, "path reason=error")
REPORT = Form(
    "Learning", model.LearningReport, "base model problem", logs=([_LOG], "logs"), failed=([_FAILED], "failed")
)
_RULE = Form("LearningRule", model.RuleCard, "name about")
RULES = Form("LearningRules", list, rules=([_RULE], list))
