"""How the reader's calls reach DynamoDB: by boto3, in threads, or straight over the wire.

Both answer alike and fail alike, with the exceptions of botocore, so that what reads need not know which one it is.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, Protocol

from graph.aws.clients import one_attempt
from graph.aws.sessions import Session
from graph.settings import Settings

Operation = Literal["Query", "GetItem", "BatchGetItem"]
Request = Mapping[str, Any]
Answer = Mapping[str, Any]


class Database(Protocol):
    """Makes the calls that read items; each is tried once."""

    async def call(self, operation: Operation, request: Request) -> Answer:
        """Return the answer, with items as DynamoDB writes them.

        Raises:
            ClientError, BotoCoreError: when DynamoDB refuses, or does not answer.
        """

    def close(self) -> None:
        """Free what it holds. It may be called from any thread."""


class Client(Protocol):
    """The three calls of a boto3 DynamoDB client that are used."""

    @property
    def query(self) -> Callable[..., Any]:
        """Gives one page of a partition of a table or an index."""

    @property
    def batch_get_item(self) -> Callable[..., Any]:
        """Gives up to a hundred items by key."""

    @property
    def get_item(self) -> Callable[..., Any]:
        """Gives one item by key."""


class ThreadedDatabase:
    """Calls through a boto3 client, off the event loop."""

    def __init__(self, client: Client, concurrency: int = 32) -> None:
        self._client = client
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="dynamodb")

    async def call(self, operation: Operation, request: Request) -> Answer:
        """Return the answer of the client."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: self._make(operation, request))

    def close(self) -> None:
        """Wait for calls in flight and free the threads."""
        self._threads.shutdown(cancel_futures=True)

    def _make(self, operation: Operation, request: Request) -> Answer:
        match operation:
            case "Query":
                answer = self._client.query(**request)
            case "GetItem":
                answer = self._client.get_item(**request)
            case "BatchGetItem":
                answer = self._client.batch_get_item(**request)
        return answer  # type: ignore[no-any-return]


class LazyDatabase:
    """Is made when it is first called, in a thread, since that takes long: a client, the authorities of TLS."""

    def __init__(self, make: Callable[[], Database]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: Database | None = None

    async def call(self, operation: Operation, request: Request) -> Answer:
        """Return the answer of what is made.

        Raises:
            ClientError, BotoCoreError: as that does, and where the settings of AWS are wrong.
        """
        database = self._made
        if database is None:
            database = await asyncio.to_thread(self.open)
        return await database.call(operation, request)

    def open(self) -> Database:
        """Make it, unless it is there.

        Raises:
            BotoCoreError: where the settings of AWS are wrong.
        """
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def close(self) -> None:
        """Free what was made. It may be called from any thread."""
        if self._made is not None:
            self._made.close()


def dynamodb(settings: Settings, session: Session | None = None) -> Any:
    """Return a boto3 client of DynamoDB, which is made when it is first used and says where the reader's calls go."""
    session = session or Session(settings.profile, settings.region)
    config = one_attempt(settings.dynamodb_timeout, settings.dynamodb_concurrency)
    return session.client("dynamodb", endpoint=settings.dynamodb_endpoint, config=config)
