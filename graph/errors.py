"""The errors that clients may see, one code each, and the masker for everything else."""

import logging
import secrets
import traceback
from collections.abc import Iterable
from typing import Any, ClassVar

from graphql import GraphQLError, GraphQLFormattedError, GraphQLSyntaxError

log = logging.getLogger(__name__)

_LONGEST_MESSAGE = 500  # GraphQL's own show the value that they are about, however long
_MOST_LOCATIONS = 10  # one field can be written a thousand times, and each of its errors would name them all


class GraphError(Exception):
    """An error meant for the client: its text is shown, and its code stands in ``extensions.code``."""

    code: ClassVar[str] = "INTERNAL"
    retryable: ClassVar[bool] = False

    @property
    def extensions(self) -> dict[str, Any]:
        """What the error carries beside its text; graphql-core copies it into the response."""
        return {"code": self.code, "retryable": True} if self.retryable else {"code": self.code}


class BadUserInput(GraphError):
    """An argument is well typed but cannot be served; the text says which and why."""

    code = "BAD_USER_INPUT"


class InvalidCursor(GraphError):
    """A cursor was not made here for this field, parent, filter and order."""

    code = "INVALID_CURSOR"

    def __init__(self, argument: str) -> None:
        super().__init__(f"'{argument}' is not a cursor of this connection.")


class InvalidId(GraphError):
    """A global id does not decode."""

    code = "INVALID_ID"

    def __init__(self) -> None:
        super().__init__("Not a global id of this graph.")


class Forbidden(GraphError):
    """The viewer may see the object but not this field."""

    code = "FORBIDDEN"

    def __init__(self) -> None:
        super().__init__("Not permitted.")


class Conflict(GraphError):
    """The state of an object forbids what was asked for; the text says which, and what to do first."""

    code = "CONFLICT"


class Throttled(GraphError):
    """A service asked to slow down, and went on asking after every retry."""

    code = "THROTTLED"
    retryable = True

    def __init__(self, what: str = "The database") -> None:
        super().__init__(f"{what} is busy. Try again shortly.")


class UpstreamUnavailable(GraphError):
    """A service did not answer, or answered with a fault of its own."""

    code = "UPSTREAM_UNAVAILABLE"
    retryable = True

    def __init__(self, what: str = "The database") -> None:
        super().__init__(f"{what} could not be reached. Try again shortly.")


class PayloadTooLarge(GraphError):
    """A body or a document is longer than the server reads."""

    code = "PAYLOAD_TOO_LARGE"

    def __init__(self, what: str, maximum: int, unit: str) -> None:
        super().__init__(f"The {what} is longer than {maximum} {unit}.")


class CostLimitExceeded(GraphError):
    """An operation asks for more than one operation may."""

    code = "COST_LIMIT_EXCEEDED"

    def __init__(self, what: str, requested: int, maximum: int) -> None:
        # Nested fragments multiply without bound, and a client's JSON numbers end at 2^53.
        self.requested = min(requested, 2**53 - 1)
        self.maximum = maximum
        super().__init__(f"The operation's {what} is {self.requested}; at most {maximum} is allowed.")

    @property
    def extensions(self) -> dict[str, Any]:
        """The code, with what was asked for and what is allowed."""
        return {"code": self.code, "requested": self.requested, "maximum": self.maximum}


class ResponseTooLong(GraphError):
    """What was asked for is more than one response holds."""

    code = "RESPONSE_TOO_LARGE"

    def __init__(self, maximum: int) -> None:
        super().__init__(f"The response is longer than {maximum} bytes. Ask for fewer rows, or for less of texts.")


class RateLimited(GraphError):
    """The viewer has used up what it may ask in this time. ``seconds`` is how long to wait."""

    code = "RATE_LIMITED"
    retryable = True

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(f"Too much was asked in a short time. Try again in {seconds} s.")


class Overloaded(GraphError):
    """The server has more to do than it can. ``seconds`` is how long to wait."""

    code = "OVERLOADED"
    retryable = True

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(f"The server is busy. Try again in {seconds} s.")


class TimedOut(GraphError):
    """A request was not read, or an operation not answered, in the time that it may take."""

    code = "TIMEOUT"

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"The {what} took longer than {seconds:g} s.")


class OperationUnresolved(GraphError):
    """Which operation of the document to run cannot be told, or it may not be run this way."""

    code = "OPERATION_RESOLUTION_FAILURE"


class PersistedQueryNotFound(GraphError):
    """Unknown persisted-query id or hash. Clients know the text."""

    code = "PERSISTED_QUERY_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("PersistedQueryNotFound")


class PersistedQueryNotSupported(GraphError):
    """An id or a hash was sent where no document is ever known by one. Clients know the text, and send no more."""

    code = "PERSISTED_QUERY_NOT_SUPPORTED"

    def __init__(self) -> None:
        super().__init__("PersistedQueryNotSupported")


class PersistedQueryRequired(GraphError):
    """The text of a document was sent where only trusted documents are taken, by their ids."""

    code = "PERSISTED_QUERY_ID_REQUIRED"

    def __init__(self) -> None:
        super().__init__("Only trusted documents are taken here: send the id of one, not its text.")


class MalformedValue(GraphError):
    """A stored value cannot be read as what it should be. The value itself is not shown."""

    code = "MALFORMED_VALUE"

    def __init__(self, attribute: str) -> None:
        super().__init__(f"The stored value of '{attribute}' is malformed.")


def present(error: GraphQLError) -> GraphQLFormattedError:
    """Return an error as the client sees it: with a code, and masked unless it is meant to be seen.

    What is masked goes to the log under an id that the client is given: its kind and where it was raised, but not its
    text, which may hold stored values.
    """
    shown = error.formatted
    if len(shown["message"]) > _LONGEST_MESSAGE:
        shown["message"] = shown["message"][:_LONGEST_MESSAGE] + "…"
    if "locations" in shown:
        shown["locations"] = shown["locations"][:_MOST_LOCATIONS]
    original = original_of(error)
    if isinstance(original, GraphError):
        return {**shown, "extensions": original.extensions}
    if original is None:
        return {**shown, "extensions": {"code": _code(error)}}
    return {**shown, **masked(original)}


def once_forbidden(errors: Iterable[GraphQLError]) -> list[GraphQLError]:
    """Return errors with one FORBIDDEN for each field of the operation: of the first row that it was refused for."""
    errors = list(errors)
    first: dict[tuple[str, ...], tuple[list[int], GraphQLError]] = {}
    refused = [error for error in errors if isinstance(original_of(error), Forbidden)]
    for error in refused:
        field = tuple(key for key in error.path or () if isinstance(key, str))
        row = [key for key in error.path or () if isinstance(key, int)]
        if field not in first or row < first[field][0]:
            first[field] = row, error
    left_out = set(map(id, refused)) - {id(error) for _, error in first.values()}
    return [error for error in errors if id(error) not in left_out]


def masked(error: BaseException) -> GraphQLFormattedError:
    """Return what the client sees of an error that nobody expected; the log says under the same id what it was."""
    error_id = secrets.token_hex(8)
    frames = "".join(traceback.format_tb(error.__traceback__))
    log.error("Internal error %s: %s\n%s", error_id, type(error).__qualname__, frames)
    return {"message": "Internal error.", "extensions": {"code": "INTERNAL", "errorId": error_id}}


def original_of(error: GraphQLError) -> BaseException | None:
    """Return what was raised, below every layer of GraphQL's own errors; None when GraphQL itself found the fault.

    Before anything runs, what a scalar raises is about a value of the client's, and GraphQL's own text shows it.
    """
    original: BaseException | None = error
    while isinstance(original, GraphQLError):
        original = original.original_error
    found_before_running = error.path is None and error.nodes is not None
    return None if found_before_running and isinstance(original, ValueError) else original


def _code(error: GraphQLError) -> str:
    if isinstance(error, GraphQLSyntaxError):
        return "GRAPHQL_PARSE_FAILED"
    return "GRAPHQL_VALIDATION_FAILED" if error.path is None else "BAD_USER_INPUT"
