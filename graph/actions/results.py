"""What actions tell of themselves."""

from dataclasses import dataclass

from graph.execution_warnings import ExecutionWarningCode


@dataclass(frozen=True, slots=True)
class ActionWarning:
    """What an action left undone; ``subject_id`` is the global id of what it is about."""

    code: ExecutionWarningCode
    message: str
    subject_id: str
