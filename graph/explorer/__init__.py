"""The explorer: the page for people who ask the graph by hand, built from ``explorer/`` at the root."""

from graph.explorer.examples import EXAMPLES, Example
from graph.explorer.page import Explorer

__all__ = ["EXAMPLES", "Example", "Explorer"]
