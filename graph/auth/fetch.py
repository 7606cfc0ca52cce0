"""Reads the small documents that an issuer of tokens publishes."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import httpx
from botocore.exceptions import BotoCoreError
from botocore.utils import get_environ_proxies

from graph import __version__
from graph.aws.authorities import ca_bundle, client_context
from graph.aws.sessions import Session

Fetch = Callable[[str], Awaitable[bytes]]
"""Reads the document at an address; raises any exception when it cannot."""

_SECONDS = 5.0
_LARGEST = 256 * 1024
_HEADERS = {
    "User-Agent": f"vams-graph/{__version__}",  # firewalls refuse those that do not say who they are
    "Accept": "application/json",
    "Accept-Encoding": "identity",  # so that the bytes that are counted are those that are kept
}


class Unreadable(OSError):
    """A document cannot be read."""


class Fetcher:
    """Reads documents over HTTPS, without holding up the event loop.

    Proxies and authorities are those of boto3 (:mod:`graph.aws.authorities`). Where no setting names authorities, those
    of the machine are trusted too, since an issuer need not be AWS.

    Args:
        profile: the AWS profile whose settings count; else the default one.
    """

    def __init__(self, profile: str | None = None) -> None:
        self._profile = profile

    async def __call__(self, url: str) -> bytes:
        """Read a document of up to 256 KiB within 5 seconds; a redirect is an error.

        Raises:
            OSError: it cannot be read.
            ValueError: the address is none that starts with ``https://``, nor one of this machine.
        """
        check_address(url)
        try:
            async with asyncio.timeout(_SECONDS):
                return await _read(url, await asyncio.to_thread(self._context))
        except (httpx.HTTPError, httpx.InvalidURL, BotoCoreError) as error:
            raise Unreadable(f"{type(error).__name__}: {error}") from error

    def _context(self) -> ssl.SSLContext:
        """Return what is trusted now: files of authorities are renewed."""
        session = Session(self._profile).core
        context = client_context(session)
        if ca_bundle(session) is None:
            context.load_default_certs()
        return context


def check_address(url: str) -> None:
    """Refuse an address at which anybody on the way could answer.

    Raises:
        ValueError: it neither starts with ``https://`` nor is one of this machine.
    """
    parts = urlsplit(url)
    if not (parts.hostname and (parts.scheme == "https" or _is_loopback(url))):
        raise ValueError(f"{url!r} is no address that starts with https://")


def _is_loopback(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")


async def _read(url: str, tls: ssl.SSLContext) -> bytes:
    client = httpx.AsyncClient(verify=tls, proxy=_proxy(url), headers=_HEADERS, timeout=_SECONDS, trust_env=False)
    async with client, client.stream("GET", url) as response:
        if response.status_code != httpx.codes.OK:
            raise Unreadable(f"the server answers {response.status_code}")
        document = bytearray()
        async for part in response.aiter_raw():
            document += part
            if len(document) > _LARGEST:
                raise Unreadable(f"more than {_LARGEST} bytes")
    return bytes(document)


def _proxy(url: str) -> str | None:
    """Return the proxy through which boto3 would go to an address."""
    if _is_loopback(url):
        return None
    proxy: str | None = get_environ_proxies(url).get(urlsplit(url).scheme)
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


fetch_document: Fetch = Fetcher()
"""Reads a document as the environment and the default profile say."""
