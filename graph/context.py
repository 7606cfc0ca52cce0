"""The context of one operation. Only the services that it refers to outlive the operation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from functools import cached_property

from graph.auth.access import Access
from graph.auth.gateway import Proof
from graph.auth.identity import Identity, Viewer
from graph.auth.policies import Policies
from graph.auth.policy import Policy
from graph.documents import Document
from graph.engines.service import Engines, OperationEngines
from graph.files.envelopes import Envelopes
from graph.files.store import FileStore, OperationFiles
from graph.loaders import Loaders
from graph.loaders.base import Reading, Written
from graph.logs.service import Logs, OperationLogs
from graph.operation import Finisher, OperationScope
from graph.settings import Settings
from graph.tables.availability import Availability
from graph.tables.cursors import Cursors
from graph.tables.reader import Reader
from graph.tables.rows import Fields, Row
from graph.tables.tally import Tally
from graph.tables.writer import ChangeWriter, ExecutionWriter


def utc_now() -> datetime:
    """Return the time of this machine."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Services:
    """The services of a process: made at start, shared by all operations, without rows and viewers."""

    settings: Settings
    reader: Reader
    cursors: Cursors
    identity: Identity
    policies: Policies
    logs: Logs
    engines: Engines
    files: FileStore
    federation: Proof | None
    """Checks the proof of a supergraph's gateway; None when none is trusted."""
    writer: ExecutionWriter | None
    """Writes status checks back; None when the setting is off."""
    availability: Availability
    """Whether the tables can be read."""
    changes: ChangeWriter | None = None
    """Writes the changes of actions; None when actions are off."""
    finisher: Finisher = field(default_factory=Finisher)
    """Runs work that goes on after its operation."""
    clock: Callable[[], datetime] = utc_now
    """What time it is."""

    def close(self) -> None:
        """Wait for calls in flight and free the threads."""
        self.reader.close()
        self.logs.close()
        self.engines.close()
        self.files.close()
        for writer in (self.writer, self.changes):
            if writer is not None:
                writer.close()


class Extra(Enum):
    """What resolvers read only for fields that show it. A field that does declares it as ``extra``."""

    ASSET_ROLES = "ASSET_ROLES"
    """Whether a run both read and wrote an asset."""
    WHOLE_TEXT = "WHOLE_TEXT"
    """Where S3 holds the whole of a text."""
    WARNING_SUBJECT = "WARNING_SUBJECT"
    """The object that a warning of an action is about."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What an operation selects, anywhere in it: the fields of each GraphQL type, and the stored fields that they need.

    Loaders serve all places of an operation, so rows of one class are read with the same fields everywhere in it.

    Attributes:
        fields: The selected fields by type.
        reads: The stored fields to read by row class.
        begins: The row classes that are certainly read with an execution, so that both reads begin together.
        extras: What selected fields need beyond stored fields.
    """

    fields: Mapping[str, frozenset[str]] = field(default_factory=dict)
    reads: Mapping[type[Row], Fields] = field(default_factory=dict)
    begins: frozenset[type[Row]] = frozenset()
    extras: frozenset[Extra] = frozenset()


@dataclass
class Context:
    """One operation: its services, viewer, policy, selection, loaders and counts of calls.

    ``document`` is set when it is parsed and validated already. ``ends_at`` is when the process will be stopped, in
    seconds of the monotonic clock, as on AWS Lambda; None elsewhere.
    """

    services: Services
    viewer: Viewer
    policy: Policy
    document: Document | None = None
    selection: Selection = field(default_factory=Selection)
    tally: Tally = field(default_factory=Tally)
    written: Written = field(default_factory=dict)
    ends_at: float | None = None
    scope: OperationScope = field(init=False)

    def __post_init__(self) -> None:
        """Make the scope, whose unfinished work the process's finisher takes over."""
        self.scope = OperationScope(self.services.finisher)

    @property
    def cursors(self) -> Cursors:
        """Seals and opens cursors."""
        return self.services.cursors

    @cached_property
    def loaders(self) -> Loaders:
        """The operation's own loaders."""
        return Loaders(Reading(self.services.reader, self.tally, self._fields, self.scope, self.written))

    @cached_property
    def logs(self) -> OperationLogs:
        """The operation's reads of logs, within its budget."""
        settings = self.services.settings
        return OperationLogs(settings.logs_registered, settings.logs_budget_seconds)

    @cached_property
    def engines(self) -> OperationEngines:
        """The operation's reads of engines, within its budget."""
        return self.services.engines.operation(self.scope)

    @cached_property
    def files(self) -> OperationFiles:
        """The operation's reads of files, within its budget."""
        return OperationFiles(self.services.files)

    @cached_property
    def access(self) -> Access:
        """What the viewer may see."""
        return Access(self.viewer, self.policy, self.loaders, Envelopes(self.services.files))

    def note(self, written: Written) -> None:
        """Note the rows that the operation changed, and forget everything read before."""
        self.written.update(written)
        for read in ("access", "engines", "loaders", "logs"):
            self.__dict__.pop(read, None)

    async def close(self) -> None:
        """End all tasks, and drop the loaders, which refer to the context: a cycle."""
        await self.scope.close()
        self.__dict__.pop("access", None)
        self.__dict__.pop("loaders", None)

    def _fields(self, row: type[Row]) -> Fields:
        return self.selection.reads.get(row, frozenset()) | self.access.looks_at(row)
