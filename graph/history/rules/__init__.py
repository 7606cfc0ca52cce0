"""One rule for each kind of event.

A rule takes what is known so far, an event and the place of the event that caused it (the root if none did, None if it
was not read). It returns the event's own place, None where nothing read tells it.
"""

from collections.abc import Mapping

from graph.history.event import EventKind
from graph.history.rules import containers, execution, states, work
from graph.history.rules.rule import Rule

RULES: Mapping[EventKind, Rule] = execution.RULES | states.RULES | containers.RULES | work.RULES
