"""The log: one JSON object a line, one line for each operation, without variables and texts of errors."""

import logging
import time
import traceback
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson

from graph.tables.tally import Tally

REQUEST_ID: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The id of the request that is being answered."""

_FIELDS = "operation"
log = logging.getLogger("graph.operations")


@dataclass
class Operation:
    """The log entry of one operation; ``name`` is None for an anonymous one."""

    name: str | None = None
    kind: str | None = None
    hash: str | None = None
    price: int = 0
    charged: int = 0
    root_fields: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    tally: Tally = field(default_factory=Tally)
    status: int = 500
    _begun: float = field(default_factory=time.perf_counter)
    _took: float | None = None

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self._took if self._took is not None else time.perf_counter() - self._begun

    @property
    def outcome(self) -> str:
        """``OK``, or the code of the first error."""
        return self.codes[0] if self.codes else "OK"

    def end(self, status: int) -> None:
        """Stop the clock and write the line."""
        self.status, self._took = status, self.seconds
        line = {
            "name": self.name,
            "hash": self.hash,
            "price": self.price,
            "calls": self.tally.calls,
            "rounds": self.tally.rounds,
            "capacity": self.tally.capacity,
            "ms": round(self._took * 1000, 1),
            "status": status,
            "outcome": self.outcome,
        }
        if log.isEnabledFor(logging.INFO):  # made by hand: looking for the caller takes longer than all the rest
            log.handle(log.makeRecord(log.name, logging.INFO, "", 0, "operation", (), None, extra={_FIELDS: line}))


class JSONFormatter(logging.Formatter):
    """Formats a record as one line of JSON, with the type and the frames of an exception, without its text."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if (request_id := REQUEST_ID.get()) is not None:
            line["requestId"] = request_id
        line |= getattr(record, _FIELDS, {})
        if record.exc_info and record.exc_info[0] is not None:
            kind, _, frames = record.exc_info
            line["exception"] = kind.__qualname__
            line["frames"] = traceback.format_tb(frames)
        return orjson.dumps(line, default=str).decode()


def write_json() -> None:
    """Send the log of the whole process to standard error, as JSON."""
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False  # no line has them
    handler = logging.StreamHandler()
    handler.setFormatter(JSONFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("botocore").setLevel(logging.WARNING)
    logging.getLogger("botocore.credentials").setLevel(logging.ERROR)  # graph.aws.credentials tells it in one line
    log.setLevel(logging.INFO)


def log_unhandled(_loop: object, context: dict[str, Any]) -> None:
    """Log an exception that no task retrieved; asyncio's own handler would log the values that tasks held."""
    error = context.get("exception")
    name = type(error).__qualname__
    logging.getLogger("asyncio").error("Unhandled exception in a background task: %s", name, exc_info=error)
