"""How the application is served: the listener and its guarded protocol, workers, and how they end."""

from graph.server.listener import configuration
from graph.server.workers import serve

__all__ = ["configuration", "serve"]
