"""Documents of an issuer, over real connections."""

import asyncio
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import SSLError

from graph import __version__
from graph.auth.fetch import Fetcher, check_address, fetch_document
from tests.aws.network.authority import Authority

VARIABLES = ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", "AWS_CONFIG_FILE", "AWS_PROFILE")


class Site(BaseHTTPRequestHandler):
    asked: list[tuple[str, dict[str, str]]] = []

    def do_GET(self) -> None:
        self.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        self.send_response({"/moved": 302, "/missing": 404, "/broken": 500, "/later": 202}.get(self.path, 200))
        if self.path == "/moved":
            self.send_header("Location", "/small")
        self.end_headers()
        if self.path == "/drips":
            while not self.server.over.wait(0.02):  # type: ignore[attr-defined]
                self.wfile.write(b"x")
        else:
            self.wfile.write(b"x" * (300_000 if self.path == "/large" else 10))

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "18")
        self.end_headers()
        self.wfile.write(b'{"TableNames": []}')

    def log_message(self, *_args: object) -> None:
        pass


class SiteServer(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Site)
        self.over = threading.Event()

    def handle_error(self, *_args: object) -> None:
        """Clients hang up; that is what is tested."""


@contextmanager
def site(tls: ssl.SSLContext | None = None) -> Iterator[str]:
    with SiteServer() as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"{'http' if tls is None else 'https'}://localhost:{server.server_port}"
        server.over.set()
        server.shutdown()


@pytest.fixture(scope="module")
def site_url() -> Iterator[str]:
    with site() as url:
        yield url


async def test_a_document_is_read_over_http(site_url: str) -> None:
    assert await fetch_document(f"{site_url}/small") == b"x" * 10


@pytest.mark.parametrize("path", ["/large", "/moved", "/missing", "/broken", "/later"])
async def test_large_moved_and_missing_documents_are_errors(site_url: str, path: str) -> None:
    Site.asked.clear()
    with pytest.raises(OSError):  # noqa: PT011 - of several kinds
        await fetch_document(site_url + path)
    assert [asked for asked, _ in Site.asked] == [path]


async def test_a_document_that_drips_is_given_up_as_a_whole(site_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.auth.fetch._SECONDS", 0.2)
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        await fetch_document(f"{site_url}/drips")
    assert time.monotonic() - start < 2


async def test_a_server_that_accepts_and_is_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.auth.fetch._SECONDS", 0.2)
    released = asyncio.Event()

    async def say_nothing(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await released.wait()
        writer.close()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as server:
        with pytest.raises(OSError):  # noqa: PT011 - of several kinds
            await fetch_document(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/keys")
        released.set()


async def test_a_request_says_who_asks(site_url: str) -> None:
    Site.asked.clear()
    await fetch_document(f"{site_url}/small")
    ((_, headers),) = Site.asked
    assert headers["user-agent"] == f"vams-graph/{__version__}"


async def test_a_proxy_that_leads_nowhere_is_not_asked_for_this_machine(
    site_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "socks5://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert await fetch_document(f"{site_url}/small") == b"x" * 10


async def test_elsewhere_the_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines.append(await reader.readline())
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"127.0.0.1:{proxy.sockets[0].getsockname()[1]}")
        for name in ("https_proxy", "NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(OSError, match="403"):
            await fetch_document("https://id.example.com/keys")
    assert lines == [b"CONNECT id.example.com:443 HTTP/1.1\r\n"]


def by_variable(name: str) -> Callable[[Path, pytest.MonkeyPatch], None]:
    def trust(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(name, str(bundle))

    return trust


def by_profile(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = bundle.with_name("config")
    config.write_text(f"[default]\nca_bundle = {bundle}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))


def by_another_than_the_last(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_variable("AWS_CA_BUNDLE")(bundle, monkeypatch)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere/bundle.pem")


def by_a_file_that_is_not_there(_bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", "/nowhere/bundle.pem")


def by_nothing(_bundle: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    pass


@pytest.mark.parametrize(
    ("trust", "is_accepted"),
    [
        (by_variable("AWS_CA_BUNDLE"), True),
        (by_variable("REQUESTS_CA_BUNDLE"), True),
        (by_profile, True),
        (by_another_than_the_last, True),
        (by_a_file_that_is_not_there, False),
        (by_nothing, False),
    ],
)
async def test_an_authority_is_accepted_where_boto3_accepts_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    trust: Callable[[Path, pytest.MonkeyPatch], None],
    is_accepted: bool,
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    authority = Authority(tmp_path)  # without key identifiers, as companies have them
    trust(authority.bundle, monkeypatch)
    with site(authority.server()) as url:
        assert await asyncio.to_thread(boto3_accepts, url) == is_accepted
        if is_accepted:
            assert await Fetcher()(f"{url}/small") == b"x" * 10
        else:
            with pytest.raises(OSError, match=r"CERTIFICATE_VERIFY_FAILED|/nowhere/bundle.pem"):
                await Fetcher()(f"{url}/small")


async def test_an_authority_that_the_machine_trusts_is_accepted_where_no_setting_names_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    authority = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.bundle))
    with site(authority.server()) as url:
        assert await Fetcher()(f"{url}/small") == b"x" * 10
        (tmp_path / "other").mkdir()
        monkeypatch.setenv("AWS_CA_BUNDLE", str(Authority(tmp_path / "other").bundle))
        with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
            await Fetcher()(f"{url}/small")


async def test_a_file_of_authorities_that_is_renewed_counts_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for directory in ("old", "new"):
        (tmp_path / directory).mkdir()
    old, new = Authority(tmp_path / "old"), Authority(tmp_path / "new")
    monkeypatch.setenv("AWS_CA_BUNDLE", str(old.bundle))
    fetch = Fetcher()
    with site(new.server()) as url:
        with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
            await fetch(f"{url}/small")
        old.bundle.write_bytes(new.bundle.read_bytes())
        assert await fetch(f"{url}/small") == b"x" * 10


async def test_a_certificate_for_another_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = Authority(tmp_path)
    monkeypatch.setenv("AWS_CA_BUNDLE", str(authority.bundle))
    with (
        site(authority.server("elsewhere.example.com")) as url,
        pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"),
    ):
        await Fetcher()(f"{url}/small")


def boto3_accepts(url: str) -> bool:
    client = boto3.Session().client(
        "dynamodb",
        endpoint_url=url,
        region_name="eu-west-1",
        aws_access_key_id="none",
        aws_secret_access_key="none",
        config=Config(retries={"total_max_attempts": 1}, proxies={}),
    )
    try:
        client.list_tables()
    except (SSLError, OSError):
        return False
    finally:
        client.close()
    return True


@pytest.mark.parametrize(
    "url", ["http://id.example.com", "file:///etc/passwd", "id.example.com", "https://", "", "//x"]
)
async def test_an_address_at_which_anybody_could_answer_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="https://"):
        check_address(url)
    with pytest.raises(ValueError, match="https://"):
        await fetch_document(url)
