"""The table of rules, functions that read facts from logs without a model."""

from collections.abc import Callable, Iterable, Mapping

from core.base.frozen import frozen
from core.base.messages import Message, message
from core.features.learning.rules.errors import (
    deprecations,
    failing_tests,
    mended_commands,
    repeated_errors,
    unsteady_tests,
)
from core.features.learning.rules.requests import failing_requests, required_headers, slow_calls
from core.features.learning.rules.settings import ports, settings, statements
from core.model import Fact, LogText

MOST_FACTS = 200
"""Maximum number of facts per rule and log; nobody reads more."""


@frozen
class LearningRule:
    """A rule: the function that reads facts, and its name in the suggestions.

    With `by_key`, facts are the same only if their keys are equal; otherwise if their keys have nearly the same words.
    """

    function: Callable[[LogText], Iterable[Fact]]
    name: Message
    by_key: bool = False


RULES: Mapping[str, LearningRule] = {
    "repeated_error": LearningRule(repeated_errors, message("an error that repeats")),
    "required_header": LearningRule(required_headers, message("a request that needs a header"), by_key=True),
    "failing_request": LearningRule(failing_requests, message("a request that keeps failing"), by_key=True),
    "slow_call": LearningRule(slow_calls, message("a slow call")),
    "setting": LearningRule(settings, message("a configuration value"), by_key=True),
    "port": LearningRule(ports, message("an address that a service listens on"), by_key=True),
    "unsteady_test": LearningRule(unsteady_tests, message("a test that fails and passes again")),
    "failing_test": LearningRule(failing_tests, message("a test that keeps failing")),
    "mended_command": LearningRule(mended_commands, message("a command that worked after one that failed")),
    "deprecation": LearningRule(deprecations, message("something deprecated")),
    "statement": LearningRule(statements, message("a cause, a fix or a decision that somebody states")),
}


def facts(log: LogText) -> list[tuple[str, Fact]]:
    """Return the facts in a log with the names of their rules; only the first of equal facts."""
    item: dict[tuple[str, str], tuple[str, Fact]] = {}
    for name, rule in RULES.items():
        for number, fact in enumerate(rule.function(log)):
            if number == MOST_FACTS:
                break
            item.setdefault((fact.rule, fact.key), (name, fact))
    return [*item.values()]
