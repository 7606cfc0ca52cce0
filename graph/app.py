"""The Starlette application, and what it needs from the outside made ready before it serves."""

import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import boto3
from starlette.applications import Starlette
from starlette.responses import RedirectResponse
from starlette.routing import Route

from graph.auth.identity import Authenticator, Identity
from graph.auth.policies import Policies
from graph.auth.ways import configured_ways
from graph.aws.calls import Caller
from graph.aws.clients import Clients
from graph.context import Services
from graph.engines.service import Engines
from graph.explorer import EXAMPLES, Example, Explorer
from graph.http import GraphQLView
from graph.loaders.permissions import PermissionRows
from graph.logs.service import Logs
from graph.resolvers.engine_logs import EngineLogs
from graph.schema import create_schema
from graph.settings import Settings
from graph.tables.catalogue import Table
from graph.tables.cursors import Cursors
from graph.tables.names import ssm_parameters, table_names
from graph.tables.reader import Client, Reader, dynamodb

PATH = "/graphql"


def create_app(services: Services, examples: Iterable[Example] = EXAMPLES) -> Starlette:
    """The application over its services, which it closes when it ends, with examples for the explorer."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            services.close()

    explorer = Explorer(GraphQLView(create_schema(), services), examples)
    return Starlette(
        routes=[
            Route(PATH, explorer, methods=["GET", "POST"]),
            Route("/", RedirectResponse(f".{PATH}"), methods=["GET"]),
            *explorer.routes,
        ],
        lifespan=lifespan,
    )


Ways = Callable[[Settings, PermissionRows], Sequence[Authenticator]]


def make_services(
    settings: Settings,
    client: Client,
    names: Mapping[Table, str],
    clients: Clients,
    ways: Ways = configured_ways,
    reader: type[Reader] = Reader,
) -> Services:
    """The services over a database and the clients of AWS, and the ways in which they tell who asks.

    Raises:
        NotConfigured: when the settings name no such way.
    """
    reads = reader(client, names, concurrency=settings.dynamodb_concurrency, attempts=settings.dynamodb_attempts)
    rows = PermissionRows(reads)
    caller = Caller(concurrency=settings.engines_concurrency, attempts=settings.engines_attempts, name="engines")
    engines = Engines(clients, caller, settings)
    return Services(
        settings=settings,
        reader=reads,
        cursors=Cursors([secret.get_secret_value() for secret in settings.cursor_secrets]),
        identity=Identity(ways(settings, rows)),
        policies=Policies(rows, default_role=settings.default_role),
        logs=Logs(
            clients,
            Caller(concurrency=settings.logs_concurrency, attempts=settings.logs_attempts, name="logs"),
            EngineLogs(engines),
        ),
        engines=engines,
    )


def connect(settings: Settings, environment: Mapping[str, str] = os.environ) -> tuple[Any, dict[Table, str]]:
    """A client of the deployment's DynamoDB, and the physical names of its tables.

    Raises:
        MissingTableNames: when neither the environment nor SSM names every table.
        BotoCoreError, ClientError: when AWS cannot be asked, or refuses to answer.
    """
    session = boto3.Session(profile_name=settings.profile, region_name=settings.region)

    def parameters(prefix: str) -> Mapping[str, str]:
        return ssm_parameters(session.client("ssm", endpoint_url=settings.ssm_endpoint))(prefix)

    names = table_names(parameters, environment)
    return dynamodb(settings), names
