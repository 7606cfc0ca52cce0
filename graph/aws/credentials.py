"""Credentials that are always at hand: they are fetched and renewed in a thread, since that may ask other services."""

import asyncio
import logging
import time
from collections.abc import Callable

from botocore.credentials import Credentials, ReadOnlyCredentials
from botocore.exceptions import BotoCoreError, NoCredentialsError

from graph.aws.signing import Signer

_LOOK_SECONDS = 5.0  # between two looks at whether credentials are due; botocore renews them 15 minutes ahead
_RELOAD_SECONDS = 10.0  # between two refusals that fetch them anew, so that a wrong key does not keep the chain busy

Load = Callable[[], Credentials | None]
"""Asks the chain of botocore for credentials; it may block."""

log = logging.getLogger(__name__)


class Signers:
    """Gives the signer for the credentials of the moment, and renews them: one attempt at a time, for all who wait."""

    def __init__(
        self, load: Load, make: Callable[[ReadOnlyCredentials], Signer], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._load = load
        self._make = make
        self._clock = clock
        self._credentials: Credentials | None = None
        self._frozen: ReadOnlyCredentials | None = None
        self._signer: Signer | None = None
        self._next_look = self._next_reload = 0.0
        self._renewal: asyncio.Task[Signer] | None = None

    async def current(self) -> Signer:
        """A signer whose credentials have not run out.

        Raises:
            BotoCoreError: when there are no credentials, or they ran out and cannot be renewed.
        """
        if self._signer is not None and self._clock() < self._next_look:
            return self._signer
        if self._signer is None or self._is_due(0):
            return await asyncio.shield(self._renewing(self._fetch))
        if self._is_due(None):
            self._renewing(self._fetch)  # in good time: nobody has to wait for it
        self._next_look = self._clock() + _LOOK_SECONDS
        return self._signer

    async def after_refusal(self, refused: Signer) -> Signer | None:
        """Another signer than one whose credentials the service did not accept; None when there is none to be had."""
        if self._signer is not refused:
            return self._signer
        if self._renewal is None:
            if self._clock() < self._next_reload:
                return None
            self._next_reload = self._clock() + _RELOAD_SECONDS
        signer = await asyncio.shield(self._renewing(self._reload))
        return None if signer is refused else signer

    def _is_due(self, seconds: int | None) -> bool:
        """Whether the credentials run out within some seconds; None: within the time in which botocore renews them."""
        due = getattr(self._credentials, "refresh_needed", None)  # those without an end have no such method
        return due is not None and bool(due(seconds))

    def _renewing(self, fetch: Callable[[], ReadOnlyCredentials]) -> "asyncio.Task[Signer]":
        """The renewal that is going on; without one, it begins. Whoever gives up waiting must not stop it."""
        loop = asyncio.get_running_loop()
        if self._renewal is None or self._renewal.get_loop() is not loop:
            self._renewal = loop.create_task(self._renew(fetch))
            self._renewal.add_done_callback(_seen)
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

    def _fetch(self) -> ReadOnlyCredentials:
        if self._credentials is None:
            return self._reload()
        return self._credentials.get_frozen_credentials()

    def _reload(self) -> ReadOnlyCredentials:
        credentials = self._load()
        if credentials is None:
            raise NoCredentialsError
        frozen = credentials.get_frozen_credentials()
        self._credentials = credentials
        return frozen


def _seen(renewal: "asyncio.Task[Signer]") -> None:
    """Logs why credentials were not renewed, also where nobody waits for them."""
    if not renewal.cancelled() and isinstance(fault := renewal.exception(), BotoCoreError):
        log.warning("credentials could not be renewed: %s", type(fault).__name__)
