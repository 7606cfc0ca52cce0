"""The embedded DynamoDB of the demo: a moto server on a loopback port, with the catalogue's tables and their items.

The tables live in this process and vanish with it. Nothing of the machine's AWS settings is read: neither credentials
nor profiles nor proxies. Only who has the access key of the run is answered (:mod:`graph.demo.guard`).
"""

import logging
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from botocore.config import Config

from graph.demo.data import Items, demo_items
from graph.demo.guard import Guard
from graph.demo.model import REGION
from graph.tables.catalogue import ALL_TABLES, LOCKS, Index, Table

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import (
        CreateTableInputTypeDef,
        KeySchemaElementTypeDef,
        WriteRequestOutputTypeDef,
        WriteRequestTypeDef,
    )
    from werkzeug.serving import BaseWSGIServer

# The most that BatchWriteItem takes. Even at 400 KB each they stay below its other bound, 16 MB.
_BATCH_ITEMS = 25
_WRITERS = 2
_CONNECTIONS = 32  # as many as the reader keeps in flight; fewer would be opened anew for each call
_ATTEMPTS = 8
_POLL_SECONDS = 0.1  # in which the server notices that it should stop

LOOPBACK = "127.0.0.1"


class DemoNotInstalledError(ImportError):
    """The emulator is an optional part of the installation, and is not there."""

    def __init__(self) -> None:
        super().__init__("The demo needs its optional part. In a checkout: make demo, or pip install '.[demo]'.")


class EmbeddedDatabase:
    """Runs while entered: ``with EmbeddedDatabase() as database``. Loses every write when left.

    Attributes:
        names: the physical name of each table.
        region: the region to name to a client.
        endpoint: the URL of the server, once entered.
        access_key: the id of the access key that a client must have, with any secret.
        client: a client of it, once entered.
    """

    region = REGION

    def __init__(self, items: Items | None = None) -> None:
        """Seed with the given items, or else with those of the demo."""
        # Moto keeps the tables of one process together, so two databases in it must differ in their names.
        token = secrets.token_hex(4)
        self.names: dict[Table, str] = {table: f"demo-{token}-{table.name}" for table in (*ALL_TABLES, LOCKS)}
        self.endpoint = ""
        self.access_key = f"DEMO{secrets.token_hex(16).upper()}"
        self._items = items

    def __enter__(self) -> Self:
        self._server = _quiet_server(self.access_key)
        self._thread = Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True)
        self._thread.start()
        self.endpoint = f"http://{LOOPBACK}:{self._server.port}"
        try:
            self.client = loopback_client(self.endpoint, self.region, self.access_key)
            create_tables(self.client, self.names)
            put_items(self.client, self.names, demo_items() if self._items is None else self._items)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        delete_tables(self.client, self.names)
        self._stop()

    def _stop(self) -> None:
        self._server.shutdown()
        self._thread.join()

    def environment(self) -> dict[str, str]:
        """Return the variables by which VAMS names its tables, with the physical names."""
        return {variable: name for table, name in self.names.items() for variable in table.variables}

    def access(self) -> dict[str, str]:
        """Return the variables by which another process of this machine reaches the tables, with the access key."""
        return {
            "VAMS_GRAPH_DYNAMODB_ENDPOINT": self.endpoint,
            "VAMS_GRAPH_REGION": self.region,
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": "demo",
        }


def loopback_client(endpoint: str, region: str = REGION, access_key: str = "demo") -> "DynamoDBClient":
    """Return a client of a DynamoDB emulator on this machine, whatever AWS profile or proxy the environment names."""
    import boto3  # late, as in graph.aws.sessions
    import botocore.session

    session = botocore.session.Session(session_vars={"profile": (None, None, None, None)})
    return boto3.Session(botocore_session=session).client(
        "dynamodb",
        endpoint_url=endpoint,
        region_name=region,
        aws_access_key_id=access_key,
        aws_secret_access_key="demo",  # noqa: S106 - an emulator asks for one and checks none
        config=Config(proxies={}, max_pool_connections=_CONNECTIONS),
    )


def create_tables(client: "DynamoDBClient", names: Mapping[Table, str]) -> None:
    """Create the named tables with their indexes, each ready when this returns."""
    for table, name in names.items():
        keys = (table.key, *map(_index_key, table.indexes))
        attributes = dict.fromkeys(attribute for key in keys for attribute in key)
        request: CreateTableInputTypeDef = {
            "TableName": name,
            "KeySchema": _key_schema(table.key),
            "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": "S"} for attribute in attributes],
            "BillingMode": "PAY_PER_REQUEST",
        }
        if table.indexes:
            request["GlobalSecondaryIndexes"] = [
                {
                    "IndexName": index.name,
                    "KeySchema": _key_schema(_index_key(index)),
                    "Projection": {"ProjectionType": "ALL"},
                }
                for index in table.indexes
            ]
        client.create_table(**request)
    for name in names.values():
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 30})


def delete_tables(client: "DynamoDBClient", names: Mapping[Table, str]) -> None:
    """Delete the named tables."""
    for name in names.values():
        client.delete_table(TableName=name)


def put_items(client: "DynamoDBClient", names: Mapping[Table, str], items: Items) -> None:
    """Write the items, in as few calls as DynamoDB allows. What it leaves unprocessed is sent again.

    Raises:
        TimeoutError: the database went on leaving items unprocessed.
    """
    with ThreadPoolExecutor(_WRITERS) as writers:
        writes = [writers.submit(_write, client, batch) for batch in _batches(names, items)]
    for write in writes:
        write.result()


def _index_key(index: Index) -> tuple[str, ...]:
    return (index.partition,) if index.sort is None else (index.partition, index.sort)


def _key_schema(key: tuple[str, ...]) -> "list[KeySchemaElementTypeDef]":
    kinds: tuple[Literal["HASH", "RANGE"], ...] = ("HASH", "RANGE")
    return [{"AttributeName": attribute, "KeyType": kind} for attribute, kind in zip(key, kinds, strict=False)]


def _batches(names: Mapping[Table, str], items: Items) -> "Iterator[dict[str, list[WriteRequestTypeDef]]]":
    """Write requests by table name, as many as one call may carry."""
    from boto3.dynamodb.types import TypeSerializer

    serialize = TypeSerializer().serialize
    for table, rows in items.items():
        requests: list[WriteRequestTypeDef] = [{"PutRequest": {"Item": serialize(row)["M"]}} for row in rows]
        for start in range(0, len(requests), _BATCH_ITEMS):
            yield {names[table]: requests[start : start + _BATCH_ITEMS]}


def _write(client: "DynamoDBClient", batch: "dict[str, list[WriteRequestTypeDef]]") -> None:
    unwritten: Mapping[str, Sequence[WriteRequestTypeDef | WriteRequestOutputTypeDef]] = batch
    for attempt in range(_ATTEMPTS):
        unwritten = client.batch_write_item(RequestItems=unwritten)["UnprocessedItems"]
        if not unwritten:
            return
        time.sleep(0.05 * 2**attempt)
    raise TimeoutError(f"The database left {sum(map(len, unwritten.values()))} items unwritten.")


def _quiet_server(access_key: str) -> "BaseWSGIServer":
    """Return a server that listens, once it serves, and logs no requests."""
    try:
        from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
        from werkzeug.serving import make_server
    except ImportError as error:
        raise DemoNotInstalledError from error
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    app = Guard(_one_at_a_time(DomainDispatcherApplication(create_backend_app)), access_key)
    return make_server(LOOPBACK, 0, app, threaded=True, request_handler=MotoRequestHandler)


def _one_at_a_time(app: "WSGIApplication") -> "WSGIApplication":
    """Let no two calls run at once: the emulator looks at a condition and writes in two steps, DynamoDB in one."""
    lock = Lock()

    def call(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        with lock:
            return app(environ, start_response)

    return call
