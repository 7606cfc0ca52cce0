"""Listening: workers and how they end, what every listener is told, and the guarded HTTP protocol."""

from graph.server.options import listener_config
from graph.server.workers import serve

__all__ = ["listener_config", "serve"]
