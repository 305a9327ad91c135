"""What was learnt from logs as JSON."""

from core import model
from core.json_forms.forms import Form
from core.model import Failed

_LOG = Form(
    "LearntLog", model.LearntLog, "name format events secrets cut left_out facts known rejected suggested=note_ids"
)
_FAILED = Form("UnreadLog", Failed, "path reason=error")
REPORT = Form("Learning", model.LearningReport, "base", logs=([_LOG], "logs"), failed=([_FAILED], "failed"))
_RULE = Form("LearningRule", model.RuleCard, "name about")
RULES = Form("LearningRules", list, rules=([_RULE], list))
