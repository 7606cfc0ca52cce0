"""An issuer of tokens in memory."""

import asyncio
import json
import time
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

URL = "https://id.example.com"
KEYS_URL = f"{URL}/keys"
AUDIENCE = "vams-graph"


@cache
def private_key(name: str) -> Any:
    """One key per name; what the name starts with is its kind."""
    if name.startswith("ec"):
        return ec.generate_private_key(ec.SECP256R1())
    if name.startswith("ed"):
        return ed25519.Ed25519PrivateKey.generate()
    return rsa.generate_private_key(65537, 1024 if name.startswith("short") else 2048)


def public_pem(name: str) -> bytes:
    pem: bytes = private_key(name).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return pem


def jwk(name: str, **changes: Any) -> dict[str, Any]:
    kind = ECAlgorithm if name.startswith("ec") else OKPAlgorithm if name.startswith("ed") else RSAAlgorithm
    return {**json.loads(kind.to_jwk(private_key(name).public_key())), "kid": name, "use": "sig", **changes}


def claims(**changes: Any) -> dict[str, Any]:
    """Claims of a good token; a change to None leaves a claim out."""
    now = int(time.time())
    good = {"iss": URL, "aud": AUDIENCE, "sub": "ana@example.com", "iat": now, "exp": now + 300}
    return {name: value for name, value in (good | changes).items() if value is not None}


def token(key: str = "rsa-1", algorithm: str = "RS256", *, kid: str | None = None, **changes: Any) -> str:
    # Not `jwt.encode`, which makes no token with odd claims.
    return jwt.api_jws.encode(json.dumps(claims(**changes)).encode(), private_key(key), algorithm, {"kid": kid or key})


class KeysSite:
    """Serves documents and counts how often each is fetched; ``hangs`` until it is set, where it is there."""

    def __init__(self, *names: str) -> None:
        self.documents: dict[str, bytes] = {}
        self.fetched: list[str] = []
        self.error: Exception | None = None
        self.hangs: asyncio.Event | None = None
        self.publish(*(jwk(name) for name in names or ("rsa-1",)))

    def publish(self, *keys: dict[str, Any]) -> None:
        self.documents[KEYS_URL] = json.dumps({"keys": keys}).encode()

    async def __call__(self, url: str) -> bytes:
        self.fetched.append(url)
        if self.hangs:
            await self.hangs.wait()
        if self.error:
            raise self.error
        return self.documents[url]
