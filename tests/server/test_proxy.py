"""Behind a proxy that shares its connections among users, each user gets their own answers.

``PROXIED_REQUESTS`` says how many requests are made; 600 unless set.
"""

import os
import random
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graph.auth.identity import Credentials, Viewer
from graph.demo.permissions import ADMIN, ANA, BOB
from tests.memory import MemoryDatabase
from tests.server.raw import Connection, connected, post
from tests.serving import listening, make_app
from tests.skipping import give_up

USERS = (ADMIN, ANA, BOB)
REQUESTS = int(os.environ.get("PROXIED_REQUESTS", "600"))
CONFIGURATION = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    upstream graph {{ server 127.0.0.1:{upstream}; keepalive 2; }}
    map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://graph; proxy_http_version 1.1; proxy_request_buffering off;
            proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;
        }}
    }}
}}
"""


class NamedUser:
    """Believes the header that the proxy passes on."""

    async def authenticate(self, credentials: Credentials) -> Viewer | None:
        name = credentials.header("x-user")
        return Viewer(name, is_mfa=False, method="gateway") if name else None


@contextmanager
def nginx(folder: Path, upstream: str) -> Iterator[str]:
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        give_up("nginx is missing: THE SERVER WAS NOT TRIED BEHIND A POOLING PROXY")
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
    path = folder / "nginx.conf"
    path.write_text(CONFIGURATION.format(folder=folder, upstream=upstream.rpartition(":")[2], port=port))
    process = subprocess.Popen([program, "-e", str(folder / "error.log"), "-p", str(folder), "-c", str(path)])  # noqa: S603
    try:
        deadline = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.02)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def smuggled(user: str) -> bytes:
    """A request that a body would like to be."""
    return b"".join(post("{ viewer { userId } }", f"X-User: {user}"))


class User:
    """Sends requests of every kind, and keeps what was not their own answer."""

    def __init__(self, address: str, name: str, count: int) -> None:
        self.wrong: list[bytes] = []
        self.answered = 0
        self._address, self._name, self._count = address, name, count
        self._random = random.Random(name)  # noqa: S311 - the same requests each time

    def run(self) -> None:
        left = self._count
        while left:
            with connected(self._address) as connection:
                for _ in range(min(left, 40)):
                    left -= 1
                    if not self._ask(connection):
                        break

    def _ask(self, connection: Connection) -> bool:
        upgrade = self._random.choice(
            [(), ("Connection: Upgrade", "Upgrade: h2c"), ("Connection: Upgrade", "Upgrade: websocket")]
        )
        is_attack = self._random.random() < 0.4
        body = smuggled(self._random.choice([one for one in USERS if one != self._name])) if is_attack else None
        head, body = post("{ viewer { userId } }", f"X-User: {self._name}", *upgrade, body=body)
        connection.send(head, pause=self._random.choice([0, 0.001]))
        connection.send(body, pause=0)
        answer = self._whole(connection)
        self.answered += bool(answer)
        expected = b'"BAD_USER_INPUT"' if is_attack else b'{"data":{"viewer":{"userId":"%s"}}}' % self._name.encode()
        if expected not in answer or any(one.encode() in answer for one in USERS if one != self._name):
            self.wrong.append(answer)
        return b"\r\nConnection: close" not in answer

    @staticmethod
    def _whole(connection: Connection) -> bytes:
        received = b""
        connection.sock.settimeout(10)
        while True:
            head, separator, body = received.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: (\d+)", head)
            if separator and length and len(body) >= int(length[1]):
                return received
            part = connection.sock.recv(65536)
            if not part:
                return received
            received += part


def test_each_user_behind_a_pooling_proxy_gets_their_own_answers(memory: MemoryDatabase, tmp_path: Path) -> None:
    app = make_app(memory, (NamedUser(),), rate_points=0)
    with listening(app) as upstream, nginx(tmp_path, upstream) as address:
        users = [User(address, name, REQUESTS // len(USERS)) for name in USERS]
        threads = [threading.Thread(target=user.run) for user in users]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [user.wrong[:1] for user in users] == [[]] * len(USERS)
    assert sum(user.answered for user in users) == REQUESTS // len(USERS) * len(USERS)
