"""Run the application: workers, their log and metrics, and shutdown."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from uvicorn.supervisors import Multiprocess

from graph.http import access_log
from graph.http.metrics import MULTIPROCESS
from graph.server.listener import configuration
from graph.settings import Settings

# With the seconds of draining, at most 3, and of closing, at most 2, an end takes less than 10.
_FINISH_SECONDS = 4


def serve(factory: str, settings: Settings) -> None:
    """Serve the application that a factory makes, given as ``module:function``, until a signal ends it.

    Several workers share one socket; one that dies is replaced.
    """
    access_log.write_json()
    config = configuration(
        factory,
        settings,
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        timeout_graceful_shutdown=_FINISH_SECONDS,
    )
    if settings.workers == 1:
        uvicorn.Server(config).run()
        return
    with _shared_counts():
        _Workers(config, [config.bind_socket()]).run()


class _Workers(Multiprocess):
    """Workers whose parent closes its listening sockets before they end.

    While the parent held a socket, connections that no worker accepts any more would wait in it, and be lost.
    """

    def terminate_all(self) -> None:
        """Tell the workers to end."""
        for sock in self.sockets:
            sock.close()
        super().terminate_all()


@contextmanager
def _shared_counts() -> Iterator[None]:
    """Let whichever worker is asked return the metrics of all."""
    with tempfile.TemporaryDirectory(prefix="vams-graph-") as directory:
        os.environ[MULTIPROCESS] = directory
        try:
            yield
        finally:
            del os.environ[MULTIPROCESS]
