"""An endpoint of all services that takes the requests of one key, and the files in which AWS keeps keys."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Keyed:
    """Listens on loopback until it is closed.

    Attributes:
        allowed: the id of the key that is taken.
        code: what all others are refused with.
        keys: the ids of those that came.
    """

    def __init__(self) -> None:
        self.allowed = "KEYONE"
        self.code = "UnrecognizedClientException"
        self.keys: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        keyed = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                key = self.headers["Authorization"].partition("Credential=")[2].partition("/")[0]
                keyed.keys.append(key)
                is_good = key == keyed.allowed
                answer = {"Items": [], "Count": 0, "events": []} if is_good else {"__type": f"service#{keyed.code}"}
                body = json.dumps(answer).encode()
                self.send_response(200 if is_good else 400)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        return Handler


class Disk:
    """The files of keys and of settings of one directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.credentials = directory / "credentials"
        self.config = directory / "config"
        self.hold("KEYONE")
        self.configure("")

    def hold(self, key: str) -> None:
        self.credentials.write_text(f"[default]\naws_access_key_id = {key}\naws_secret_access_key = s\n")

    def configure(self, settings: str) -> None:
        self.config.write_text(f"[default]\n{settings}\n")

    def give_by_process(self, **given: str) -> None:
        """Keys come from a program that goes on saying the same."""
        told = {"Version": 1, "AccessKeyId": "KEYONE", "SecretAccessKey": "s", "SessionToken": "t"} | given
        (self.directory / "told").write_text(json.dumps(told))
        self.credentials.write_text("")
        self.configure(f"credential_process = cat {self.directory}/told")
