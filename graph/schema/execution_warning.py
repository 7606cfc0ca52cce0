"""What could not be read or done."""

from graph.context import Extra
from graph.execution_warnings import ExecutionWarning as Warned
from graph.execution_warnings import ExecutionWarningCode
from graph.resolvers import execution_warnings
from graph.schema.fields import answer, attribute, object_type
from graph.schema.node import Node


@object_type(
    Warned,
    description="What could not be read or done, beside what could. Never fails the field that it stands beside.",
)
class ExecutionWarning:
    """A warning."""

    code: ExecutionWarningCode = attribute("What it is, for programs.", reads=())
    message: str = attribute(
        "For people. Holds no ARN, no account, no line of a log, and no name of what is hidden.", reads=()
    )
    subject: Node | None = answer(
        execution_warnings.subject,
        "What it is about, where that has an id and is not what the warning stands beside: the sub-execution that goes "
        "on running, the log that was not searched.",
        extra=Extra.WARNING_SUBJECT,
    )
