"""The errors that clients may see, one code each, and the masker for everything else."""

import logging
import secrets
import traceback
from typing import Any, ClassVar

from graphql import GraphQLError, GraphQLFormattedError, GraphQLSyntaxError

log = logging.getLogger(__name__)


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


class Throttled(GraphError):
    """The database asked to slow down, and went on asking after every retry."""

    code = "THROTTLED"
    retryable = True

    def __init__(self) -> None:
        super().__init__("The database is busy. Try again shortly.")


class UpstreamUnavailable(GraphError):
    """The database did not answer, or answered with a fault of its own."""

    code = "UPSTREAM_UNAVAILABLE"
    retryable = True

    def __init__(self) -> None:
        super().__init__("The database could not be reached. Try again shortly.")


class MalformedValue(GraphError):
    """A stored value cannot be read as what it should be. The value itself is not shown."""

    code = "MALFORMED_VALUE"

    def __init__(self, attribute: str) -> None:
        super().__init__(f"The stored value of '{attribute}' is malformed.")


def present(error: GraphQLError) -> GraphQLFormattedError:
    """An error as the client sees it: with a code, and masked unless it is meant to be seen.

    What is masked goes to the log under an id that the client is given: its kind and where it was raised, but not its
    text, which may hold stored values.
    """
    shown = error.formatted
    original = _original(error)
    if isinstance(original, GraphError):
        return {**shown, "extensions": original.extensions}
    if original is None:
        return {**shown, "extensions": {"code": _code(error)}}
    error_id = secrets.token_hex(8)
    frames = "".join(traceback.format_tb(original.__traceback__))
    log.error("internal error %s: %s\n%s", error_id, type(original).__qualname__, frames)
    return {**shown, "message": "Internal error.", "extensions": {"code": "INTERNAL", "errorId": error_id}}


def _original(error: GraphQLError) -> BaseException | None:
    """What was raised, below every layer of GraphQL's own errors; None when GraphQL itself found the fault."""
    original: BaseException | None = error
    while isinstance(original, GraphQLError):
        original = original.original_error
    return original


def _code(error: GraphQLError) -> str:
    if isinstance(error, GraphQLSyntaxError):
        return "GRAPHQL_PARSE_FAILED"
    return "GRAPHQL_VALIDATION_FAILED" if error.path is None else "BAD_USER_INPUT"
