"""DynamoDB without boto3: requests that are signed here, over connections of the event loop.

A Query of twenty items takes a twentieth of the CPU that boto3 needs for it (docs/performance.md). The endpoint, the
credentials and the authorities of TLS come from botocore, so all settings of AWS count.
"""

import logging
import ssl
from typing import Any
from urllib.parse import urlsplit

import orjson
from botocore.credentials import ReadOnlyCredentials
from botocore.exceptions import ClientError
from botocore.utils import get_environ_proxies

from graph.aws.answers import parsed_object
from graph.aws.authorities import client_context
from graph.aws.connection import Answer as Response
from graph.aws.connections import Connections
from graph.aws.credentials import UNACCEPTED, SharedCredentials, Signers
from graph.aws.database import Answer, Database, LazyDatabase, Operation, Request, ThreadedDatabase
from graph.aws.sessions import Session
from graph.aws.signing import Signer
from graph.settings import Settings

log = logging.getLogger(__name__)


class WireDatabase:
    """Calls an endpoint of DynamoDB. It belongs to no event loop: connections are those of the loop that calls."""

    def __init__(
        self,
        endpoint: str,
        region: str,
        credentials: SharedCredentials,
        *,
        concurrency: int = 32,
        seconds: float = 5.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        def signer(frozen: ReadOnlyCredentials) -> Signer:
            return Signer(frozen, region, endpoint)

        self._signers = Signers(credentials, signer)
        self._connections = Connections(endpoint, most=concurrency, seconds=seconds, tls=tls)

    async def call(self, operation: Operation, request: Request) -> Answer:
        """Return the answer of the endpoint. Renew credentials that it does not accept, and call again."""
        body = orjson.dumps(request)
        signer = await self._signers.current()
        response = await self._send(signer, operation, body)
        if response.status == 200:
            return parsed_object(response.body)
        if _code(response) in UNACCEPTED and (renewed := await self._signers.after_refusal(signer)) is not None:
            response = await self._send(renewed, operation, body)
            if response.status == 200:
                return parsed_object(response.body)
        raise _refusal(response, operation)

    def close(self) -> None:
        """End the connections that are idle."""
        self._connections.close()

    async def _send(self, signer: Signer, operation: Operation, body: bytes) -> Response:
        return await self._connections.exchange(lambda: signer.request(operation, body))


def reads(settings: Settings, client: Any, session: Session | None = None) -> LazyDatabase:
    """Return the database that the reader calls: over the wire, to the endpoint of a boto3 client.

    The client itself is called when only boto3 can do it (a proxy, a path), or the settings say so.
    """
    return LazyDatabase(lambda: _reads(settings, client, session))


def _reads(settings: Settings, client: Any, session: Session | None) -> Database:
    if settings.dynamodb_client == "boto3":
        return ThreadedDatabase(client, settings.dynamodb_concurrency)
    if obstacle := _obstacle(client):
        log.warning("Falling back to boto3 for DynamoDB: %s", obstacle)
        return ThreadedDatabase(client, settings.dynamodb_concurrency)
    session = session or Session(settings.profile, client.meta.region_name)
    is_encrypted = urlsplit(client.meta.endpoint_url).scheme == "https"
    return WireDatabase(
        client.meta.endpoint_url,
        client.meta.region_name,
        session.credentials,
        concurrency=settings.dynamodb_concurrency,
        seconds=settings.dynamodb_timeout,
        tls=client_context(session.core) if is_encrypted else None,
    )


def _obstacle(client: Any) -> str | None:
    """Return in words why DynamoDB must be read by boto3; None when it need not."""
    endpoint, proxies = client.meta.endpoint_url, client.meta.config.proxies
    if proxies is None:
        proxies = get_environ_proxies(endpoint)
    parts = urlsplit(endpoint)
    if parts.scheme in proxies:
        return "there is a proxy on the way"
    return "its endpoint has a path" if parts.path.strip("/") else None


def _refusal(response: Response, operation: Operation) -> ClientError:
    told: Any = {"Error": {"Code": _code(response)}, "ResponseMetadata": {"HTTPStatusCode": response.status}}
    return ClientError(told, operation)


def _code(response: Response) -> str:
    """Return the code of an error; empty when it is not DynamoDB's."""
    try:
        return str(orjson.loads(response.body)["__type"]).rpartition("#")[2]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return ""
