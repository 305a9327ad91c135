"""Rules that read facts from logs without a model: each a function, its name and what it looks for, in one table."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from core.base.messages import Message, message
from core.features.learning.rules.commands import mended_commands
from core.features.learning.rules.errors import deprecations, repeated_errors
from core.features.learning.rules.requests import failing_requests, required_headers, slow_calls
from core.features.learning.rules.settings import ports, settings
from core.features.learning.rules.statements import statements
from core.features.learning.rules.tests import failing_tests, unsteady_tests
from core.model import Fact, LogText

MOST_FACTS = 200
"""Facts of one rule in one log; a person reads no more."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: the function that reads facts, and what it is called in the suggestions."""

    function: Callable[[LogText], Iterable[Fact]]
    name: Message


RULES: Mapping[str, Rule] = {
    "repeated_error": Rule(repeated_errors, message("an error that repeats")),
    "required_header": Rule(required_headers, message("a request that needs a header")),
    "failing_request": Rule(failing_requests, message("a request that keeps failing")),
    "slow_call": Rule(slow_calls, message("a call that is slow")),
    "setting": Rule(settings, message("a value of the configuration")),
    "port": Rule(ports, message("an address that a service listens on")),
    "unsteady_test": Rule(unsteady_tests, message("a test that fails and passes again")),
    "failing_test": Rule(failing_tests, message("a test that keeps failing")),
    "mended_command": Rule(mended_commands, message("a command that worked after one that failed")),
    "deprecation": Rule(deprecations, message("something that is deprecated")),
    "statement": Rule(statements, message("a cause, a fix or a decision that somebody states")),
}


def facts(log: LogText) -> list[tuple[str, Fact]]:
    """Return the facts in a log with the rules that read them; of equal ones the first."""
    item: dict[tuple[str, str], tuple[str, Fact]] = {}
    for name, rule in RULES.items():
        for number, fact in enumerate(rule.function(log)):
            if number == MOST_FACTS:
                break
            item.setdefault((fact.rule, fact.key), (name, fact))
    return [*item.values()]
