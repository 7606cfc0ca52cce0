"""What of CloudWatch Logs belongs to one execution or step: which group, which streams, which words in each line.

The rules are those of VAMS: what is the step's own is read whole, and what others write to as well is searched for the
ids of the execution and the step.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graph.logs.sources import LogKind, LogSource, LogSourceType


@dataclass(frozen=True, slots=True)
class Scope:
    """The lines of a group that lie in some streams, or in those with a prefix, and that hold every one of some terms.

    ``is_certain`` is False where the streams ought to be known but are not, so that lines may be missed.
    """

    group_arn: str
    streams: tuple[str, ...] = ()
    prefix: str | None = None
    terms: tuple[str, ...] = ()
    is_certain: bool = True

    @property
    def pattern(self) -> str | None:
        """The filter pattern: each term is quoted, so that nothing in it has a meaning; all must occur."""
        return " ".join(f'"{term}"' for term in self.terms) or None

    @property
    def only_stream(self) -> str | None:
        """The stream that is all of the scope, every line of it; None for any other scope."""
        return self.streams[0] if len(self.streams) == 1 and not self.terms else None

    def containing(self, text: str | None) -> "Scope":
        """The lines that hold a text too."""
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
    """A text as one literal term. Double quotes, which would end it, are left out; so is a backslash at its end."""
    return (text or "").replace('"', "").rstrip("\\")


def of_execution(group_arn: str, execution_id: str) -> Scope:
    """The lines of an execution in the group that all executions share."""
    return Scope(_plain(group_arn), terms=(execution_id,))


def of_step(group_arn: str, owner: Owner) -> Scope:
    """The lines of a step in the group that all executions share."""
    return Scope(_plain(group_arn), terms=owner.both)


def of_sessions(source: LogSource, sessions: Sequence[str]) -> Scope:
    """The lines of some Deadline Cloud sessions, each of which has a stream of its own."""
    return Scope(source.log_group_arn, streams=tuple(sessions))


def of_batch_stream(source: LogSource, owner: Owner, stream: str | None) -> Scope:
    """The lines of a Batch job that is known by the prefix of its streams, and by its stream if that was found out."""
    if stream is None:
        return replace(of_source(source, owner), is_certain=False)
    is_own = any(stream.startswith(prefix) for prefix in owner.prefixes)
    return Scope(source.log_group_arn, streams=(stream,), terms=() if is_own else owner.both)


def of_source(source: LogSource, owner: Owner) -> Scope:
    """The lines of a source of which the row says all there is to know."""
    if source.kind is LogKind.INVOCATION:
        # The function is called with the execution's id and never says the step's.
        return Scope(source.log_group_arn, terms=(owner.execution_id,))
    if source.log_stream_name:
        return Scope(source.log_group_arn, streams=(source.log_stream_name,))
    return Scope(source.log_group_arn, prefix=source.log_stream_prefix, terms=owner.both)


def needs_batch_stream(source: LogSource) -> bool:
    """Whether the source is a Batch job whose stream has to be found out."""
    is_prefix_alone = bool(source.log_stream_prefix) and not source.log_stream_name
    return source.is_registered and source.source_type is LogSourceType.BATCH and is_prefix_alone


def registered_prefixes(sources: Iterable[LogSource]) -> tuple[str, ...]:
    """The stream prefixes that a step registered."""
    return tuple(source.log_stream_prefix for source in sources if source.is_registered and source.log_stream_prefix)


def _plain(group_arn: str) -> str:
    return group_arn.removesuffix(":*")
