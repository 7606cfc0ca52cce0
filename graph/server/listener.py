"""The configuration of every server of this project: each listener has the guarded protocol."""

import resource
from functools import partial
from typing import Any

import uvicorn

from graph.server.protocol import ConnectionBounds, GuardedProtocol
from graph.settings import Settings

# Longer than balancers keep idle connections, so that it is never they who send on one that was just closed.
_KEEP_ALIVE_SECONDS = 75
_OTHER_FILES = 64  # the log, the loop, shared libraries, DNS
_MOST_CONNECTIONS = 10_000
_LEAST_CONNECTIONS = 16


def configuration(app: Any, settings: Settings, **options: Any) -> uvicorn.Config:
    """Return the configuration of uvicorn for an application, or its factory, with the bounds of the settings."""
    given = {
        "log_config": None,
        "access_log": False,  # a URL can hold variables
        "proxy_headers": False,
        "server_header": False,
        "ws": "none",
        "timeout_keep_alive": _KEEP_ALIVE_SECONDS,
    }
    return uvicorn.Config(app, http=partial(GuardedProtocol, bounds=bounds(settings)), **given | options)  # type: ignore[arg-type]


def bounds(settings: Settings) -> ConnectionBounds:
    """Return the bounds of each connection, and how many there may be."""
    return ConnectionBounds(
        settings.max_head_bytes, settings.head_seconds, settings.max_connections or connections_within_files(settings)
    )


def connections_within_files(settings: Settings, files: int | None = None) -> int:
    """Return how many connections the open files of a process leave room for, beside its calls of AWS."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if files is None else files
    calls = settings.dynamodb_concurrency + settings.engines_concurrency + settings.logs_concurrency
    return max(_LEAST_CONNECTIONS, min(_MOST_CONNECTIONS, most - calls - _OTHER_FILES))
