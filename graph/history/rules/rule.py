"""The shape of a rule, and the rule of an event that has none."""

from collections.abc import Callable

from graph.history.event import Event
from graph.history.place import Place
from graph.history.trace import Trace

Rule = Callable[[Trace, Event, Place | None], Place | None]


def keep(_trace: Trace, _event: Event, link: Place | None) -> Place | None:
    """Return an event that means nothing to attribution belongs where its cause does."""
    return link
