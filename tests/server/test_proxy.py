"""Three users behind nginx, which pools its connections to the server and forwards ``Upgrade``.

``PROXIED_REQUESTS=10000`` asks more than the usual few hundred.
"""

import http.client
import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.serving import listening
from tests.skipping import give_up

REQUESTS = int(os.environ.get("PROXIED_REQUESTS", "300"))
USERS = ("ana", "bob", "eve")
CONFIGURATION = """
{user} daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors;
events {{ worker_connections 128; }}
http {{
  access_log off; client_max_body_size 10m;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  upstream graph {{ server {server}; keepalive 2; }}
  map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://graph; proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;
    }}
  }}
}}
"""


async def _tell(request: Request) -> Response:
    return PlainTextResponse(f"{request.headers['x-user']} {request.url.query} {len(await request.body())}")


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[int]:
    nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    if nginx is None:
        give_up("NO PROXY IS TESTED: there is no nginx; on Debian and Ubuntu: apt-get install nginx-light")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with listening(Starlette(routes=[Route("/", _tell, methods=["GET", "POST"])])) as address:
        file = tmp_path / "nginx.conf"
        user = "user root;" if os.geteuid() == 0 else ""  # or its worker could not write to the folder
        file.write_text(
            CONFIGURATION.format(user=user, folder=tmp_path, server=address.removeprefix("http://"), port=port)
        )
        process = subprocess.Popen([nginx, "-c", file, "-e", tmp_path / "errors"], stderr=subprocess.DEVNULL)  # noqa: S603
        try:
            for _ in range(200):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.02)
            yield port
        finally:
            process.terminate()
            process.wait(5)


def _wrong_answers(port: int, user: str) -> list[tuple[str, str]]:
    """What was expected and what came, where they differ."""
    chance, wrong = random.Random(user), []  # noqa: S311
    for number in range(REQUESTS // len(USERS)):
        inner = f"GET /?smuggled HTTP/1.1\r\nHost: x\r\nX-User: {chance.choice(USERS)}\r\n\r\n".encode()
        body = b"\r\n" * chance.choice([0, 10, 60_000]) + inner if chance.random() < 0.6 else b""
        headers = {"X-User": user}
        if chance.random() < 0.6:
            headers |= {"Connection": "Upgrade", "Upgrade": chance.choice(["h2c", "websocket", "foo/1, h2c"])}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST" if body else "GET", f"/?{number}", body or None, headers)
        told = connection.getresponse().read().decode()
        connection.close()
        if told != (right := f"{user} {number} {len(body)}"):
            wrong.append((right, told))
    return wrong


def test_each_user_gets_the_own_answers(proxy: int) -> None:
    with ThreadPoolExecutor(len(USERS)) as clients:
        assert [list(wrong) for wrong in clients.map(lambda user: _wrong_answers(proxy, user), USERS)] == [[], [], []]
