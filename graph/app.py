"""The Starlette application, and the services that it runs on."""

import asyncio
import gc
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from graph.auth.authenticators import configured_authenticators, federation_proof
from graph.auth.identity import Authenticator, Identity
from graph.auth.policies import Policies
from graph.aws import clients as aws
from graph.aws import wire
from graph.aws.calls import Caller
from graph.aws.clients import Clients
from graph.aws.database import Client, Database, ThreadedDatabase, dynamodb
from graph.aws.sessions import Session
from graph.context import Services
from graph.engines.service import Engines
from graph.explorer import EXAMPLES, Example, Explorer
from graph.files.store import FileStore
from graph.http import access_log, metrics
from graph.http.endpoint import GraphQLEndpoint
from graph.http.health import Readiness
from graph.http.metrics import Metrics
from graph.http.middleware import Paths, http_error, middleware, unexpected_error
from graph.loaders.permissions import PermissionRows
from graph.logs.service import Logs
from graph.rate_limits import LocalTokenBuckets
from graph.resolvers.engine_logs import EngineLogs
from graph.schema import create_schema, create_subgraph
from graph.settings import Settings
from graph.tables.availability import Availability
from graph.tables.catalogue import ALL_TABLES, EXECUTIONS, LOCKS, TABLES, Table
from graph.tables.cursors import Cursors
from graph.tables.names import ssm_parameters, table_names
from graph.tables.reader import Reader
from graph.tables.writer import ChangeWriter, ChangingClient, ExecutionWriter, WriteClient

PATH = "/graphql"
_HEALTH, _READINESS, _METRICS = "/healthz", "/readyz", "/metrics"

_GARBAGE_THRESHOLDS = (5_000, 4, 50)
_SETTLE_SECONDS = 2  # for actions and writes that began; what is lost is found out again, or can be repeated
_CLOSE_SECONDS = 0.5  # nobody waits for what a service still answers then


def application() -> Starlette:
    """Return the application over a deployment, which each worker of ``vams-graph serve`` runs.

    Raises:
        UnknownSettings: when a variable has the prefix of settings and is none.
        NotConfigured: when no authenticator is configured.
        MissingTableNames: when neither the environment nor SSM names every table.
    """
    access_log.write_json()
    app = create_app(deployment(Settings()))
    settle_garbage_collection()
    return app


def settle_garbage_collection() -> None:
    """Make the garbage collector run less often while operations grow.

    With Python's default thresholds it traverses a big operation again and again, for three quarters of its time.
    """
    gc.collect()
    gc.freeze()  # objects made at start live as long as the process
    gc.set_threshold(*_GARBAGE_THRESHOLDS)


def deployment(settings: Settings) -> Services:
    """Return the services over a deployment. Raises as :func:`application` does."""
    settings.refuse_unknown(os.environ)
    session = Session(settings.profile, settings.region)
    client, names = connect(settings, session=session)
    writer, changes = make_writer(settings, client, names), make_changes(settings, client, names)
    reads = wire.reads(settings, client, session)
    clients = aws.connect(settings, session)
    return make_services(settings, client, names, clients, writer=writer, database=reads, changes=changes)


def create_app(services: Services, examples: Iterable[Example] = EXAMPLES) -> Starlette:
    """Return the application over its services, which it closes at shutdown, with examples for the explorer."""
    settings, counts = services.settings, Metrics()
    readiness = Readiness(services.availability.is_given)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_exception_handler(access_log.log_unhandled)
        _drain_first(readiness, settings.drain_seconds)
        try:
            yield
        finally:
            await _settle(services)
            closing = threading.Thread(target=services.close, daemon=True)
            closing.start()
            closing.join(_CLOSE_SECONDS)

    async def healthz(_request: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def readyz(_request: Request) -> Response:
        reason = await readiness.reason()
        return JSONResponse({"status": reason or "ready"}, 503 if reason else 200)

    async def show_metrics(request: Request) -> Response:
        return metrics.respond(counts, request, settings.metrics_networks)

    buckets = LocalTokenBuckets(settings.rate_points, settings.rate_points_per_second)
    with_actions = services.changes is not None
    subgraph = None
    if services.federation:
        subgraph = create_subgraph(with_node=settings.federation_node, with_actions=with_actions)
    view = GraphQLEndpoint(create_schema(with_actions=with_actions), services, buckets, counts.count, subgraph)
    explorer = Explorer(view, examples)
    graph = explorer if settings.has_explorer else view
    for_browsers = [Route("/", RedirectResponse(f".{PATH}"), methods=["GET"]), *explorer.routes]
    paths = Paths(PATH, frozenset({_HEALTH, _READINESS}), _METRICS)
    app = Starlette(
        routes=[
            Route(PATH, graph),
            *(for_browsers if settings.has_explorer else ()),
            Route(_HEALTH, healthz),
            Route(_READINESS, readyz),
            Route(_METRICS, show_metrics),
        ],
        middleware=middleware(settings, readiness, paths, graph),
        exception_handlers={HTTPException: http_error, Exception: unexpected_error},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # Starlette would redirect to whatever the Host header says
    app.state.readiness = readiness
    return app


async def _settle(services: Services) -> None:
    """Wait for actions that must not stop halfway, and for status writes."""
    async with asyncio.TaskGroup() as both:
        both.create_task(services.finisher.settle(_SETTLE_SECONDS))
        if services.writer is not None:
            both.create_task(services.writer.settle(_SETTLE_SECONDS))


def _drain_first(readiness: Readiness, seconds: float) -> None:
    """Make SIGTERM fail the readiness probe for some seconds before the server stops accepting."""
    stop = signal.getsignal(signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread() or not callable(stop):
        return
    loop = asyncio.get_running_loop()

    def drain() -> None:
        pause = 0 if readiness.is_draining else seconds
        readiness.is_draining = True
        loop.call_later(pause, stop, signal.SIGTERM, None)

    loop.add_signal_handler(signal.SIGTERM, drain)


AuthenticatorFactory = Callable[[Settings, PermissionRows], Sequence[Authenticator]]


def make_services(
    settings: Settings,
    client: Client,
    names: Mapping[Table, str],
    clients: Clients,
    authenticators: AuthenticatorFactory = configured_authenticators,
    reader: type[Reader] = Reader,
    writer: ExecutionWriter | None = None,
    database: Database | None = None,
    changes: ChangeWriter | None = None,
) -> Services:
    """Return the services over a database and the clients of AWS, with the authenticators of requests.

    Without ``writer`` no status check is written, and without ``changes`` there are no actions. Without ``database``,
    the client reads, in threads.

    Raises:
        NotConfigured: when the settings name no authenticator, or trust a gateway without a proof worth the name.
    """
    database = database or ThreadedDatabase(client, settings.dynamodb_concurrency)
    reads = reader(database, names, attempts=settings.dynamodb_attempts)
    rows = PermissionRows(reads)
    caller = Caller(concurrency=settings.engines_concurrency, attempts=settings.engines_attempts, name="engines")
    engines = Engines(clients, caller, settings)
    return Services(
        settings=settings,
        reader=reads,
        cursors=Cursors([secret.get_secret_value() for secret in settings.cursor_secrets]),
        identity=Identity(authenticators(settings, rows)),
        policies=Policies(rows, default_role=settings.default_role),
        logs=Logs(
            clients,
            Caller(concurrency=settings.logs_concurrency, attempts=settings.logs_attempts, name="logs"),
            EngineLogs(engines),
        ),
        engines=engines,
        files=FileStore(
            clients.s3,
            Caller(concurrency=settings.files_concurrency, attempts=settings.engines_attempts, name="files"),
            clients.lasting,
        ),
        federation=federation_proof(settings),
        writer=writer,
        availability=Availability(client, {t: name for t, name in names.items() if t is not LOCKS}, reads.read_at),
        changes=changes,
    )


def make_writer(settings: Settings, client: WriteClient, names: Mapping[Table, str]) -> ExecutionWriter | None:
    """Return the writer of status checks, if the settings turn it on."""
    return ExecutionWriter(client, names[EXECUTIONS]) if settings.write_back_status else None


def make_changes(settings: Settings, client: ChangingClient, names: Mapping[Table, str]) -> ChangeWriter | None:
    """Return the writer of actions, if the settings allow actions."""
    return ChangeWriter(client, names, attempts=settings.dynamodb_attempts) if settings.actions else None


def connect(
    settings: Settings, environment: Mapping[str, str] = os.environ, session: Session | None = None
) -> tuple[Any, dict[Table, str]]:
    """Return a client of the deployment's DynamoDB, and the physical names of its tables.

    Raises:
        MissingTableNames: when neither the environment nor SSM names every table.
        BotoCoreError, ClientError: when a call of AWS fails.
    """
    session = session or Session(settings.profile, settings.region)

    def parameters(prefix: str) -> Mapping[str, str]:
        return ssm_parameters(session.make("ssm", endpoint=settings.ssm_endpoint))(prefix)

    names = table_names(
        parameters,
        environment,
        ALL_TABLES if settings.downloads else TABLES,
        (LOCKS,) if settings.actions else (),
    )
    return dynamodb(settings, session), names
