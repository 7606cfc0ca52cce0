import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from graph.auth.identity import IdentityUnavailable, Unauthenticated
from graph.auth.jwks import SigningKeys, fetch_document
from tests.auth.issuer import KEYS_URL, URL, KeysSite, jwk
from tests.auth.rows import Clock

DISCOVERY = f"{URL}/.well-known/openid-configuration"


def keys_of(site: KeysSite, clock: Clock | None = None) -> SigningKeys:
    return SigningKeys(URL, KEYS_URL, fetch=site, clock=clock or Clock())


async def test_keys_are_fetched_once_for_all_who_want_them() -> None:
    site = KeysSite()
    keys = keys_of(site)
    found = await asyncio.gather(*(keys.find("rsa-1") for _ in range(20)))
    assert len(set(map(id, found))) == 1
    assert site.fetched == [KEYS_URL]


async def test_unknown_key_ids_cause_at_most_one_fetch() -> None:
    for at_once in (True, False):
        for is_warm in (True, False):
            site = KeysSite()
            keys = keys_of(site)
            if is_warm:
                await keys.find("rsa-1")
                site.fetched.clear()
            if at_once:
                await asyncio.gather(*(keys.find(f"made-up-{n}") for n in range(20)), return_exceptions=True)
            else:
                for n in range(20):
                    with pytest.raises(Unauthenticated):
                        await keys.find(f"made-up-{n}")
            assert site.fetched == [KEYS_URL]


async def test_a_rotated_key_is_picked_up_at_once() -> None:
    site = KeysSite()
    keys = keys_of(site)
    await keys.find("rsa-1")
    site.publish(jwk("rsa-2"))
    assert (await keys.find("rsa-2")).algorithms >= {"RS256"}
    with pytest.raises(Unauthenticated):
        await keys.find("rsa-1")


async def test_a_rotated_key_is_picked_up_within_seconds_while_made_up_ones_arrive() -> None:
    site, clock = KeysSite(), Clock()
    keys = keys_of(site, clock)
    for second in range(60):
        with pytest.raises(Unauthenticated):
            await keys.find("made-up")
        clock.time += 1
        if second == 30:
            site.publish(jwk("rsa-2"))
            clock.time += 5
            await keys.find("rsa-2")
    assert len(site.fetched) <= 14


async def test_a_withdrawn_key_is_noticed_after_ten_minutes() -> None:
    site, clock = KeysSite("rsa-1", "rsa-2"), Clock()
    keys = keys_of(site, clock)
    await keys.find("rsa-1")
    site.publish(jwk("rsa-2"))
    clock.time += 599
    await keys.find("rsa-1")
    clock.time += 1
    with pytest.raises(Unauthenticated):
        await keys.find("rsa-1")


async def test_keys_stay_in_use_for_an_hour_while_the_issuer_is_away() -> None:
    site, clock = KeysSite(), Clock()
    keys = keys_of(site, clock)
    await keys.find("rsa-1")
    site.error = ConnectionError("away")
    clock.time += 3_599
    await keys.find("rsa-1")
    await keys.find("rsa-1")
    assert len(site.fetched) == 2
    clock.time += 1
    with pytest.raises(IdentityUnavailable):
        await keys.find("rsa-1")


async def test_an_issuer_that_is_away_is_asked_every_five_seconds() -> None:
    site, clock = KeysSite(), Clock()
    site.error = TimeoutError()
    keys = keys_of(site, clock)
    for _ in range(10):
        with pytest.raises(IdentityUnavailable):
            await keys.find("rsa-1")
    assert len(site.fetched) == 1
    site.error = None
    clock.time += 5
    await keys.find("rsa-1")


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"keys": 7}',
        b"[" * 100_000,
        json.dumps({"keys": [{}] * 101}).encode(),
        b'{"keys": [{"kid": "x"}, {"kid": "rsa-1", "kty": "RSA", "n": 7}]}',
    ],
)
async def test_an_odd_document_is_no_set_of_keys(document: bytes) -> None:
    site = KeysSite()
    site.documents[KEYS_URL] = document
    with pytest.raises((IdentityUnavailable, Unauthenticated)):
        await keys_of(site).find("rsa-1")


async def test_only_public_keys_for_signatures_are_taken() -> None:
    site = KeysSite()
    secret = {"kty": "oct", "k": "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0", "kid": "secret"}
    site.publish(jwk("rsa-1", use="enc"), jwk("rsa-2", alg="RSA-OAEP"), secret, jwk("rsa-3", alg="RS512"), jwk("ec-1"))
    keys = keys_of(site)
    assert (await keys.find("rsa-3")).algorithms == {"RS512"}
    assert (await keys.find("ec-1")).algorithms == {"ES256"}
    for kid in ("rsa-1", "rsa-2", "secret"):
        with pytest.raises(Unauthenticated):
            await keys.find(kid)


async def test_where_the_keys_are_is_discovered() -> None:
    site = KeysSite()
    site.documents[DISCOVERY] = json.dumps({"issuer": URL, "jwks_uri": KEYS_URL}).encode()
    await SigningKeys(URL, fetch=site).find("rsa-1")
    assert site.fetched == [DISCOVERY, KEYS_URL]


@pytest.mark.parametrize(
    "configuration",
    [
        {"issuer": "https://evil.example.com", "jwks_uri": KEYS_URL},
        {"issuer": URL},
        {"issuer": URL, "jwks_uri": "http://id.example.com/keys"},
    ],
)
async def test_a_configuration_of_another_issuer_or_without_safe_keys_is_refused(configuration: dict[str, str]) -> None:
    site = KeysSite()
    site.documents[DISCOVERY] = json.dumps(configuration).encode()
    with pytest.raises(IdentityUnavailable):
        await SigningKeys(URL, fetch=site).find("rsa-1")
    assert site.fetched == [DISCOVERY]


@pytest.mark.parametrize("url", ["http://id.example.com", "file:///etc/passwd", "id.example.com", "https://", ""])
def test_an_issuer_must_have_a_safe_address(url: str) -> None:
    with pytest.raises(ValueError, match="https://"):
        SigningKeys(url)


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response({"/moved": 302, "/missing": 404}.get(self.path, 200))
        if self.path == "/moved":
            self.send_header("Location", "/small")
        self.end_headers()
        self.wfile.write(b"x" * (300_000 if self.path == "/large" else 10))

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture(scope="module")
def site_url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


async def test_a_document_is_read_over_http(site_url: str) -> None:
    assert await fetch_document(f"{site_url}/small") == b"x" * 10


@pytest.mark.parametrize("path", ["/large", "/moved", "/missing"])
async def test_large_moved_and_missing_documents_are_errors(site_url: str, path: str) -> None:
    with pytest.raises(OSError):  # noqa: PT011 - of several kinds
        await fetch_document(site_url + path)
