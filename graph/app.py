"""The Starlette application, and what it needs from the outside made ready before it serves."""

import asyncio
import gc
import os
import signal
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import boto3
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from graph import journal, metrics
from graph.context import Services
from graph.health import Readiness
from graph.http import Authenticate, GraphQLView
from graph.metrics import Metrics
from graph.middleware import broken, http_error, middleware
from graph.rates import LocalBuckets
from graph.schema import create_schema
from graph.settings import Settings
from graph.tables.catalogue import Table
from graph.tables.cursors import Cursors
from graph.tables.doctor import answers
from graph.tables.names import ssm_parameters, table_names
from graph.tables.reader import Client, Reader, dynamodb

PATH = "/graphql"


class NotConfigured(Exception):
    """A setting is missing without which nothing may be served; the text says which."""


def application() -> Starlette:
    """The application over a deployment, as the settings say; what each worker of ``vams-graph serve`` runs.

    Raises:
        NotConfigured: when a setting is missing.
        MissingTableNames: when neither the environment nor SSM names every table.
    """
    journal.write_json()
    settings = Settings()
    authenticate = identity(settings)
    app = create_app(make_services(settings, *connect(settings)), authenticate)
    gc.collect()
    gc.freeze()  # what is made at start stays, and need not be looked through for garbage
    return app


def check(settings: Settings) -> None:
    """Finds what would stop every worker, before there are any. Raises as :func:`application` does."""
    identity(settings)
    if not settings.cursor_secrets:
        raise NotConfigured("Set VAMS_GRAPH_CURSOR_SECRETS to a JSON list of secrets; see docs/operations.md.")
    connect(settings)


def identity(settings: Settings) -> Authenticate:  # noqa: ARG001
    """What tells who sent a request.

    Raises:
        NotConfigured: always, until there is a way to tell.
    """
    raise NotConfigured("This version cannot tell who asks, and serves no deployment: see vams-graph demo.")


def create_app(services: Services, authenticate: Authenticate) -> Starlette:
    """The application over its services, which it closes when it ends. ``authenticate`` tells who sent a request."""
    settings, counts = services.settings, Metrics()
    readiness = Readiness(services.tables_answer)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_exception_handler(journal.log_unhandled)
        _drain_first(readiness, settings.drain_seconds)
        try:
            yield
        finally:
            services.reader.close()

    async def healthz(_request: Request) -> Response:
        return JSONResponse({"status": "alive"})

    async def readyz(_request: Request) -> Response:
        reason = await readiness.reason()
        return JSONResponse({"status": reason or "ready"}, 503 if reason else 200)

    async def show_metrics(request: Request) -> Response:
        return metrics.respond(counts, request, settings.metrics_networks)

    buckets = LocalBuckets(settings.rate_points, settings.rate_points_per_second)
    view = GraphQLView(create_schema(), services, authenticate, buckets, counts.count)
    app = Starlette(
        routes=[
            Route(PATH, view),
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            Route("/metrics", show_metrics),
        ],
        middleware=middleware(settings, readiness),
        exception_handlers={HTTPException: http_error, Exception: broken},
        lifespan=lifespan,
    )
    app.state.readiness = readiness
    return app


def _drain_first(readiness: Readiness, seconds: float) -> None:
    """Lets SIGTERM tell the balancer, and wait, before it reaches the server that stops accepting."""
    stop = signal.getsignal(signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread() or not callable(stop):
        return
    loop = asyncio.get_running_loop()

    def drain() -> None:
        pause = 0 if readiness.is_draining else seconds
        readiness.is_draining = True
        loop.call_later(pause, stop, signal.SIGTERM, None)

    loop.add_signal_handler(signal.SIGTERM, drain)


def make_services(
    settings: Settings, client: Client, names: Mapping[Table, str], reader: type[Reader] = Reader
) -> Services:
    """The services over a database."""
    cursors = Cursors([secret.get_secret_value() for secret in settings.cursor_secrets])
    reads = reader(client, names, concurrency=settings.dynamodb_concurrency, attempts=settings.dynamodb_attempts)
    return Services(settings, reads, cursors, partial(answers, client, names))


def connect(settings: Settings, environment: Mapping[str, str] = os.environ) -> tuple[Any, dict[Table, str]]:
    """A client of the deployment's DynamoDB, and the physical names of its tables.

    Raises:
        MissingTableNames: when neither the environment nor SSM names every table.
    """
    session = boto3.Session(profile_name=settings.profile, region_name=settings.region)

    def parameters(prefix: str) -> Mapping[str, str]:
        return ssm_parameters(session.client("ssm", endpoint_url=settings.ssm_endpoint))(prefix)

    return dynamodb(settings), table_names(parameters, environment)
