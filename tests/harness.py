"""The graph over the demo's database, in process: what tests ask, and what that costs at the database."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from graphql import GraphQLError

from graph.app import make_services
from graph.auth.identity import Authenticator, Viewer
from graph.aws.clients import Clients
from graph.aws.database import Answer as Found
from graph.aws.database import Client, Operation
from graph.context import Context, Services
from graph.demo.logs import log_clients
from graph.demo.permissions import ADMIN, ROLES_OF, permission_rows
from graph.documents import BoundDocument, Documents, ValidationFailed
from graph.errors import present
from graph.execution_warnings import ExecutionWarning
from graph.loaders.permissions import PermissionRows
from graph.schema import Schema, create_schema, create_subgraph
from graph.settings import Settings
from graph.tables.catalogue import Table
from graph.tables.reader import Reader
from graph.tables.tally import Tally
from graph.tables.writer import ChangeWriter, ExecutionWriter
from tests.policies import compile_policy

SCHEMA = create_schema()
SUBGRAPH = create_subgraph(with_node=True)
ADMINISTRATOR = Viewer(ADMIN, is_mfa=False, method="api_key")
_EVERYTHING = compile_policy(
    ADMIN,
    ROLES_OF[ADMIN],
    [row.attributes for row in permission_rows() if row.attributes.get("groupId") in ROLES_OF[ADMIN]],
)


def _no_ways(_settings: Settings, _rows: PermissionRows) -> Sequence[Authenticator]:
    """Tests say themselves who asks."""
    return ()


@cache
def demo_clients() -> Clients:
    """The demo's logs, jobs and machines, as they are when nobody changes them."""
    return log_clients()


@dataclass(frozen=True)
class Call:
    """One request to the database."""

    operation: str
    table: str
    index: str | None
    request: Mapping[str, Any]

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes that are projected."""
        request = self.request
        if self.operation == "batch_get_item":
            (request,) = request["RequestItems"].values()
        names = request["ExpressionAttributeNames"]
        return frozenset(names[place] for place in request.get("ProjectionExpression", "").split(", ") if place)

    def __str__(self) -> str:
        return f"{self.operation} {self.table}" + (f".{self.index}" if self.index else "")


class Recorder:
    """A DynamoDB client that remembers what it was asked."""

    def __init__(self, client: Client, names: Mapping[Table, str]) -> None:
        self.calls: list[Call] = []
        self._client = client
        self._tables = {name: table.name for table, name in names.items()}

    def query(self, **request: Any) -> Any:
        self._record("query", request["TableName"], request)
        return self._client.query(**request)

    def get_item(self, **request: Any) -> Any:
        self._record("get_item", request["TableName"], request)
        return self._client.get_item(**request)

    def batch_get_item(self, **request: Any) -> Any:
        (name,) = request["RequestItems"]
        self._record("batch_get_item", name, request)
        return self._client.batch_get_item(**request)

    def _record(self, operation: str, name: str, request: Mapping[str, Any]) -> None:
        self.calls.append(Call(operation, self._tables[name], request.get("IndexName"), request))


class LockStepReader(Reader):
    """A reader whose calls all take equally long: none is answered before everything that can start has started.

    So the rounds that are counted are exactly the depth of calls that depend on each other.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._waiting: list[tuple[Operation, Table, dict[str, Any], Tally, Any, asyncio.Future[Found]]] = []
        self._release: asyncio.Task[None] | None = None

    async def _call(
        self, operation: Operation, table: Table, request: dict[str, Any], tally: Tally, attempts: Any = None
    ) -> Found:
        answer: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self._waiting.append((operation, table, request, tally, attempts, answer))
        if self._release is None or self._release.done():
            self._release = asyncio.create_task(self._release_all())
        return await answer

    async def _release_all(self) -> None:
        while self._waiting:
            await _until_all_wait()
            released, self._waiting = self._waiting, []
            results = await asyncio.gather(
                *(
                    super(LockStepReader, self)._call(operation, table, request, tally, attempts)
                    for operation, table, request, tally, attempts, _ in released
                ),
                return_exceptions=True,
            )
            for (*_, answer), result in zip(released, results, strict=True):
                if answer.cancelled():
                    continue
                if isinstance(result, BaseException):
                    answer.set_exception(result)
                else:
                    answer.set_result(result)
            await _until_all_wait()


_MOST_TURNS = 200  # where two wait for each other


async def _until_all_wait() -> None:
    """Wait until nothing but this can go on without an answer from elsewhere."""
    loop: Any = asyncio.get_running_loop()
    for _ in range(_MOST_TURNS):
        if not loop._ready:
            return
        await asyncio.sleep(0)


@dataclass(frozen=True)
class Answer:
    """What an operation gave and cost."""

    data: dict[str, Any] | None
    errors: Sequence[Mapping[str, Any]]
    tally: Tally
    calls: Sequence[Call] = field(default=(), repr=False)

    @property
    def codes(self) -> list[str]:
        """The codes of the errors."""
        return [error["extensions"]["code"] for error in self.errors]

    @property
    def cost(self) -> dict[str, int]:
        """How often each table and index was called."""
        return dict(sorted(Counter(map(str, self.calls)).items()))


# Tests ask for more than clients may.
_ANY_DOCUMENT = Settings(environment="development", max_tokens=100_000, max_document_characters=1_000_000)


class Graph:
    """The graph over a database."""

    def __init__(
        self,
        client: Client,
        names: Mapping[Table, str],
        settings: Settings | None = None,
        reader: type[Reader] = LockStepReader,
        schema: Schema = SCHEMA,
        logs: Clients | None = None,
        writer: ExecutionWriter | None = None,
        changes: ChangeWriter | None = None,
    ) -> None:
        self.settings = settings or Settings(cursor_secrets=["a secret of the tests"])
        self.recorder = Recorder(client, names)
        self.services: Services = make_services(
            self.settings, self.recorder, names, logs or demo_clients(), _no_ways, reader, writer, changes=changes
        )
        self.schema = schema
        self._documents = Documents(schema.core, _ANY_DOCUMENT)

    async def ask(self, document: str, *, viewer: Viewer | None = None, **variables: Any) -> Answer:
        """The answer to a document, as a user sees it."""
        context, begun = await self.context(viewer), len(self.recorder.calls)
        try:
            sent = await self.sent(document)
        except GraphQLError as error:
            return Answer(None, [present(error)], context.tally)
        except ValidationFailed as invalid:
            return Answer(None, [present(error) for error in invalid.errors], context.tally)
        try:
            result = await self.schema.answer(sent.document, context, sent.variables(variables))
        finally:
            await context.close()
        errors = [present(sent.relocated(error)) for error in result.errors or ()]
        return Answer(result.data, errors, context.tally, self.recorder.calls[begun:])

    async def sent(self, text: str) -> BoundDocument:
        """A document as it is read from a request; it must be valid."""
        return await self._documents.valid(await self._documents.read(text, ADMIN), ADMIN)

    async def context(self, viewer: Viewer | None = None) -> Context:
        """A context, as one operation of a user has it; with nobody given, of one who may see everything."""
        if viewer is None:
            return Context(self.services, ADMINISTRATOR, _EVERYTHING)
        policy = await self.services.policies.policy_of(viewer.user_id, is_mfa=viewer.is_mfa)
        return Context(self.services, viewer, policy)

    async def data(self, document: str, **variables: Any) -> dict[str, Any]:
        """The data of a document that is answered without an error."""
        answer = await self.ask(document, **variables)
        assert not answer.errors, answer.errors
        assert answer.data is not None
        return answer.data

    def close(self) -> None:
        self.services.close()


def told(warnings: Iterable[ExecutionWarning]) -> list[tuple[str, str]]:
    """The code and the message of each warning."""
    return [(warning.code.name, warning.message) for warning in warnings]
