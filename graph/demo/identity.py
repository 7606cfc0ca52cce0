"""Who asks, in the demo: its API keys and tokens go through the same code as anywhere; without one, its administrator.

Only the demo takes an unknown caller for somebody, and only one on this machine.
"""

import json
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Self

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from graph.auth.api_keys import ApiKeys
from graph.auth.identity import Authenticator, Credentials, Viewer
from graph.auth.mfa import ClaimMfa
from graph.auth.tokens import Issuer, Tokens
from graph.demo.permissions import ADMIN
from graph.loaders.permissions import PermissionRows
from graph.settings import Settings

_AUDIENCE = "vams-graph-demo"
_KEY_ID = "demo"
_HOUR = 3600


class LoopbackAdministrator:
    """Takes a caller on this machine who shows nothing at all for the demo's administrator."""

    async def authenticate(self, credentials: Credentials) -> Viewer | None:
        """Return the administrator, unless the caller has shown credentials or is elsewhere."""
        address = credentials.peer_address
        if credentials.authorization() is not None or address is None or not address.is_loopback:
            return None
        return Viewer(ADMIN, is_mfa=False, method="demo")


class DemoIssuer:
    """Issues tokens and shows their public key on a loopback port, as an identity provider does. Runs while entered."""

    def __enter__(self) -> Self:
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        public = RSAAlgorithm.to_jwk(self._key.public_key(), as_dict=True) | {
            "kid": _KEY_ID,
            "use": "sig",
            "alg": "RS256",
        }
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(json.dumps({"keys": [public]}).encode()))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def token(self, user_id: str, *, is_mfa: bool) -> str:
        """Return a token for a user, good for an hour."""
        now = int(time.time())
        claims = {"iss": self.url, "aud": _AUDIENCE, "sub": user_id, "iat": now, "exp": now + _HOUR}
        return jwt.encode(claims | ({"amr": ["pwd", "mfa"]} if is_mfa else {}), self._key, "RS256", {"kid": _KEY_ID})

    def authenticators(self, _settings: Settings, rows: PermissionRows) -> Sequence[Authenticator]:
        """Return the authenticators of the demo."""
        issuer = Issuer(self.url, frozenset({_AUDIENCE}), ClaimMfa(), keys_url=f"{self.url}/jwks.json")
        return [ApiKeys(rows), Tokens([issuer]), LoopbackAdministrator()]


def _handler(document: bytes) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(document)))
            self.end_headers()
            self.wfile.write(document)

        def log_message(self, *_arguments: object) -> None:
            """Log nothing."""

    return Handler
