"""The errors that clients may see, one code each. Everything else is masked by :mod:`graph.http`."""

from typing import Any, ClassVar

from graphql import GraphQLError


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


def client_error(error: GraphQLError) -> GraphError | None:
    """The error of this module behind a GraphQL error, if one is."""
    original: BaseException | None = error
    while isinstance(original, GraphQLError):
        original = original.original_error
    return original if isinstance(original, GraphError) else None
