"""An endpoint that speaks DynamoDB's protocol for a client in this process, so that what fakes one can be called."""

import base64
import json
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from botocore.exceptions import BotoCoreError, ClientError

from graph.aws.database import Client

_METHODS = {"Query": "query", "GetItem": "get_item", "BatchGetItem": "batch_get_item"}


class Gateway:
    """Listens on loopback while entered. What the client raises without having been answered cuts the connection."""

    def __init__(self, client: Client) -> None:
        class Handler(_Handler):
            def answer(self, operation: str, request: dict[str, Any]) -> Any:
                return getattr(client, _METHODS[operation])(**request)

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, *_: Any) -> None:
        """Whoever gave up does not want the answer."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        operation = self.headers["X-Amz-Target"].rpartition(".")[2]
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            self._send(200, self.answer(operation, request))
        except ClientError as fault:
            error = {"__type": f"com.amazonaws.dynamodb.v20120810#{fault.response['Error']['Code']}"}
            status = fault.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
            self._send(status, error | {"message": fault.response["Error"]["Message"]})
        except BotoCoreError:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
            self.close_connection = True

    def answer(self, operation: str, request: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _send(self, status: int, answer: Any) -> None:
        body = json.dumps(answer, default=lambda held: base64.b64encode(held).decode()).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("x-amz-crc32", str(zlib.crc32(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Silent."""
