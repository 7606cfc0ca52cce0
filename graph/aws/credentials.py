"""The credentials of this process: read when they are first needed, renewed in time, and read anew after a refusal.

botocore reads its chain once and then keeps what it found, so keys that are rotated on disk are refused until a
restart. It also lets through whatever a source of credentials raises.
"""

import asyncio
import logging
import threading
import time
from bisect import bisect_left
from collections.abc import Callable
from typing import Any, TypeVar, cast

from botocore.credentials import Credentials, ReadOnlyCredentials
from botocore.exceptions import BotoCoreError, ClientError, CredentialRetrievalError, NoCredentialsError

from graph.aws.signing import Signer

UNACCEPTED = {
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
}
"""Codes of refusals that other credentials may mend."""

_LOOK_SECONDS = 5.0  # between two looks at whether credentials are due; botocore renews them 15 minutes ahead
_PAUSE_SECONDS = 1.0  # between two readings of the chain, so that a wrong key or a dead source does not keep it busy

Load = Callable[[], Credentials | None]
"""Asks the chain of botocore for credentials; it may block."""

ResultT = TypeVar("ResultT")

log = logging.getLogger(__name__)


class SharedCredentials:
    """What botocore takes for the credentials of a session, so that all its clients have the same at any time.

    It may be used by many threads, and blocks while credentials are read. All that goes wrong is a BotoCoreError.
    """

    method = "shared"

    def __init__(self, load: Load, clock: Callable[[], float] = time.monotonic) -> None:
        self._load = load
        self._clock = clock
        self._lock = threading.Lock()
        self._held: Credentials | None = None
        self._frozen: ReadOnlyCredentials | None = None
        self._fault: BotoCoreError | None = None
        self._next_look = self._next_reload = float("-inf")

    def load_credentials(self) -> "SharedCredentials":
        """Return itself, as the whole chain of a session."""
        return self

    def get_frozen_credentials(self) -> ReadOnlyCredentials:
        """Return the credentials of the moment, read or renewed where that is due.

        Raises:
            BotoCoreError: when there are none, or they ran out and cannot be renewed.
        """
        if (frozen := self._fresh()) is not None:
            return frozen
        frozen = None if self.refresh_needed(0) else self._frozen
        if not self._lock.acquire(blocking=frozen is None) and frozen is not None:
            return frozen  # another thread renews what is still good
        try:
            return self._fresh() or self._attempt(self._look)
        finally:
            self._lock.release()

    def get_deferred_property(self, name: str) -> Callable[[], Any]:
        """Return what gives a property when it is asked for, such as the account for the host of an endpoint."""
        return lambda: getattr(self.get_frozen_credentials(), name, None)

    def refresh_needed(self, seconds: int | None = None) -> bool:
        """Return whether they run out within some seconds; None: within the time in which botocore renews them."""
        due = getattr(self._held, "refresh_needed", None)  # those without an end have no such method
        return due is not None and bool(due(seconds))

    def lasting(self, seconds: int) -> int:
        """Return how many of some seconds they last, to what renewing them may bring."""
        self.get_frozen_credentials()
        return bisect_left(range(seconds), True, key=lambda passed: self.refresh_needed(passed + 1))

    def after_refusal(self, refused: ReadOnlyCredentials) -> ReadOnlyCredentials | None:
        """Return other credentials than those that a service rejected; None when there are none.

        Raises:
            BotoCoreError: when there are none any more.
        """
        with self._lock:
            if self._frozen is not None and self._frozen != refused:
                return self._frozen
            if self._clock() < self._next_reload:
                return None
            self._next_reload = self._clock() + _PAUSE_SECONDS
            current = self._attempt(self._read)
            return None if current == refused else current

    def _fresh(self) -> ReadOnlyCredentials | None:
        """Return what was looked at a moment ago, and has not run out since."""
        return self._frozen if self._clock() < self._next_look and not self.refresh_needed(0) else None

    def _attempt(self, source: Callable[[], ReadOnlyCredentials]) -> ReadOnlyCredentials:
        """Read or renew, and remember for a moment how that went. What has not run out outlasts a failure."""
        if self._fault is not None and self._clock() < self._next_look:
            raise self._fault.with_traceback(None)
        try:
            self._frozen, fault = source(), None
        except BotoCoreError as error:
            if self._fault is None:
                log.warning("Loading AWS credentials failed: %s", _reason(error))
            fault = error
        self._fault, self._next_look = fault, self._clock() + _PAUSE_SECONDS
        if self._frozen is None or (fault is not None and self.refresh_needed(0)):
            raise cast("BotoCoreError", fault)
        return self._frozen

    def _look(self) -> ReadOnlyCredentials:
        return self._read() if self._held is None else _freeze(self._held)

    def _read(self) -> ReadOnlyCredentials:
        held = _told(self._load)
        if held is None:
            raise NoCredentialsError
        frozen = _freeze(held)
        self._held = held
        return frozen


class MalformedCredentials(BotoCoreError):
    """A key that no service would take, and that would break the head of a request."""

    fmt = "The {name} holds a line break or another character that no key has: remove it where the key is set."


def _freeze(held: Credentials) -> ReadOnlyCredentials:
    """Return the credentials of the moment, once they are known to be ones that can be sent."""
    frozen = _told(held.get_frozen_credentials)
    for name, value in zip(("access key id", "secret access key", "session token"), frozen[:3], strict=True):
        if value and not (value.isascii() and value.isprintable()):
            raise MalformedCredentials(name=name)
    return frozen


def _told(source: Callable[[], ResultT]) -> ResultT:
    """Return what a source gives; whatever it raises becomes a BotoCoreError."""
    try:
        return source()
    except BotoCoreError:
        raise
    except Exception as error:  # processes, files and services raise what they like
        raise CredentialRetrievalError(provider="the chain", error_msg=type(error).__name__) from error


def _reason(fault: BotoCoreError) -> str:
    """Return why credentials could not be loaded, without the words of their source, which may hold secrets."""
    match fault.__cause__:
        case ClientError() as refusal:
            return f"{refusal.operation_name} {refusal.response.get('Error', {}).get('Code', 'Unknown')}"
        case OSError() | RuntimeError() as cause:  # a file or program that is not there; botocore, of what ran out
            return f"{type(cause).__name__}: {cause}"
        case None if isinstance(fault, NoCredentialsError | MalformedCredentials):
            return str(fault)
        case cause:
            return f"{type(cause or fault).__name__} of {fault.kwargs.get('provider', 'the chain')}"


class Signers:
    """Gives the signer for the credentials of the moment, and renews them in a thread: once for all who wait."""

    def __init__(
        self,
        credentials: SharedCredentials,
        make: Callable[[ReadOnlyCredentials], Signer],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._credentials = credentials
        self._make = make
        self._clock = clock
        self._frozen: ReadOnlyCredentials | None = None
        self._signer: Signer | None = None
        self._next_look = 0.0
        self._renewal: asyncio.Task[Signer] | None = None

    async def current(self) -> Signer:
        """Return a signer whose credentials have not run out.

        Raises:
            BotoCoreError: when there are no credentials, or they ran out and cannot be renewed.
        """
        if self._signer is not None and self._clock() < self._next_look:
            return self._signer
        if self._signer is None or self._credentials.refresh_needed(0):
            return await asyncio.shield(self._renewing(self._credentials.get_frozen_credentials))
        if self._credentials.refresh_needed():
            self._renewing(self._credentials.get_frozen_credentials)  # in good time: nobody has to wait for it
        self._next_look = self._clock() + _LOOK_SECONDS
        return self._signer

    async def after_refusal(self, refused: Signer) -> Signer | None:
        """Return another signer than one whose credentials the service rejected; None when there is none."""
        if self._signer is not refused or self._frozen is None:
            return self._signer
        frozen = self._frozen
        signer = await asyncio.shield(self._renewing(lambda: self._credentials.after_refusal(frozen) or frozen))
        return None if signer is refused else signer

    def _renewing(self, fetch: Callable[[], ReadOnlyCredentials]) -> "asyncio.Task[Signer]":
        """Return the renewal that is going on; without one, it begins. Whoever gives up waiting must not stop it."""
        loop = asyncio.get_running_loop()
        if self._renewal is None or self._renewal.get_loop() is not loop:
            self._renewal = loop.create_task(self._renew(fetch))
            self._renewal.add_done_callback(_retrieve)
        return self._renewal

    async def _renew(self, fetch: Callable[[], ReadOnlyCredentials]) -> Signer:
        try:
            frozen = await asyncio.to_thread(fetch)
        finally:
            self._renewal = None
        self._next_look = self._clock() + _LOOK_SECONDS
        if self._signer is None or frozen != self._frozen:
            self._frozen, self._signer = frozen, self._make(frozen)
        return self._signer


def _retrieve(renewal: "asyncio.Task[Signer]") -> None:
    """Take what a renewal raised, which nobody may wait for; the log has told it."""
    if not renewal.cancelled():
        renewal.exception()
