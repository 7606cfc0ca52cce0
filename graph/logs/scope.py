"""What of CloudWatch Logs belongs to one execution or step: which group, which streams, which words in each line.

The rules are those of VAMS: what is the step's own is read whole, and what others write to as well is searched for the
ids of the execution and the step.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graph.logs.sources import LogKind, LogSource, LogSourceType

_CONTAINERS = frozenset({LogSourceType.BATCH, LogSourceType.ECS, LogSourceType.CONTAINER})
_TASK_ARN = re.compile(r"arn:[\w-]+:ecs:[\w-]*:\w*:task/(?:[\w-]+/)?([\w-]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class LogScope:
    """The lines of a group that lie in some streams, or in those with a prefix, and that hold every one of some terms.

    Where ``tasks`` are given, ids of ECS, a line lies in the stream of one of them or holds every one of ``ids``. Such
    a stream ends in its task's id, after a prefix and the container's name; CloudWatch cannot search for that.
    ``is_certain`` is False where the streams ought to be known but are not, so that lines may be missed.
    """

    group_arn: str
    streams: tuple[str, ...] = ()
    prefix: str | None = None
    terms: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    is_certain: bool = True

    @property
    def pattern(self) -> str | None:
        """The filter pattern: each term is quoted, so that nothing in it has a meaning; all must occur."""
        return " ".join(f'"{term}"' for term in self.terms) or None

    @property
    def only_stream(self) -> str | None:
        """The stream that is all of the scope, every line of it; None for any other scope."""
        return self.streams[0] if len(self.streams) == 1 and not self.terms else None

    def holds(self, stream: str, message: str) -> bool:
        """Return whether a line belongs to the scope that CloudWatch found in its streams with its terms."""
        return not self.tasks or _task_of(stream) in self.tasks or all(id_ in message for id_ in self.ids)

    def containing(self, text: str | None) -> "LogScope":
        """Return the lines that hold a text too."""
        term = literal(text)
        return replace(self, terms=(*self.terms, term)) if term else self


@dataclass(frozen=True, slots=True)
class Owner:
    """The step that a source is read for, with the stream prefixes that it registered."""

    execution_id: str
    step_id: str
    prefixes: tuple[str, ...] = ()

    @property
    def both(self) -> tuple[str, str]:
        """The terms that only the step's own lines hold together."""
        return self.execution_id, self.step_id


def literal(text: str | None) -> str:
    """Return a text as one literal term, without double quotes, which would end it, and a backslash at its end."""
    return (text or "").replace('"', "").rstrip("\\")


def of_execution(group_arn: str, execution_id: str) -> LogScope:
    """Return the lines of an execution in the group that all executions share."""
    return LogScope(_plain(group_arn), terms=(execution_id,))


def of_step(group_arn: str, owner: Owner) -> LogScope:
    """Return the lines of a step in the group that all executions share."""
    return LogScope(_plain(group_arn), terms=owner.both)


def of_sessions(source: LogSource, sessions: Sequence[str]) -> LogScope:
    """Return the lines of some Deadline Cloud sessions, each of which has a stream of its own."""
    return LogScope(source.log_group_arn, streams=tuple(sessions))


def of_container(source: LogSource, owner: Owner, streams: Sequence[str], tasks: Sequence[str]) -> LogScope:
    """Return the lines of a step's container: those of its streams and tasks, or else those with the step's ids.

    Streams and tasks are the step's own and so are read whole, wherever they are; a stream below a prefix that the step
    registered for another source is that source's.
    """
    others = tuple(prefix for prefix in owner.prefixes if prefix != source.log_stream_prefix)
    own = [stream for stream in streams if not stream.startswith(others)]
    if tasks:
        known = (*tasks, *map(_task_of, own))
        return LogScope(source.log_group_arn, prefix=source.log_stream_prefix, tasks=known, ids=owner.both)
    if own:
        return LogScope(source.log_group_arn, streams=tuple(own))
    return replace(of_source(source, owner), is_certain=False)


def tasks_of(sub_executions: Iterable[object], stage_name: str | None) -> tuple[str, ...]:
    """Return the ids of the registered ECS tasks that may belong to a stage: either names none, or both the same."""
    found: dict[str, None] = {}
    for entry in sub_executions:
        if not isinstance(entry, dict) or (stage_name and entry.get("stageName") not in (stage_name, "", None)):
            continue
        for arn in (entry.get("taskArn"), entry.get("arn")):
            if isinstance(arn, str) and (task := _TASK_ARN.fullmatch(arn)):
                found[task[1]] = None
    return tuple(found)


def of_source(source: LogSource, owner: Owner) -> LogScope:
    """Return the lines of a source of which the row says all there is to know."""
    if source.kind is LogKind.INVOCATION:
        # The function is called with the execution's id and never says the step's.
        return LogScope(source.log_group_arn, terms=(owner.execution_id,))
    if source.log_stream_name:
        return LogScope(source.log_group_arn, streams=(source.log_stream_name,))
    return LogScope(source.log_group_arn, prefix=source.log_stream_prefix, terms=owner.both)


def is_container(source: LogSource) -> bool:
    """Return whether the source is a container that registered no stream, so that its streams have to be found out."""
    return source.is_registered and source.source_type in _CONTAINERS and not source.log_stream_name


def registered_prefixes(sources: Iterable[LogSource]) -> tuple[str, ...]:
    """Return the stream prefixes that a step registered."""
    return tuple(source.log_stream_prefix for source in sources if source.is_registered and source.log_stream_prefix)


def _task_of(stream: str) -> str:
    return stream.rpartition("/")[2]


def _plain(group_arn: str) -> str:
    return group_arn.removesuffix(":*")
