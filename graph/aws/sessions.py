"""boto3 as the settings say: what makes every client, with credentials that all clients share and renew.

boto3 is imported when the first client is made: it takes a fifth of a second, which much of the project can do without.
"""

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from botocore.config import Config

from graph.aws.answers import require_whole
from graph.aws.credentials import UNACCEPTED, SharedCredentials

if TYPE_CHECKING:
    import boto3
    from botocore.credentials import CredentialResolver, Credentials
    from botocore.session import Session as CoreSession

_SIGNED_WITH = "vams_graph_credentials"


class Session:
    """Makes clients. A process has one for each profile and region.

    Attributes:
        credentials: what all clients sign with.
    """

    def __init__(self, profile: str | None = None, region: str | None = None) -> None:
        self.credentials = SharedCredentials(self._load_credentials)
        self._profile, self._region = profile, region
        self._lock = threading.RLock()  # sessions and clients are not safe to make in several threads
        self._made: tuple[CoreSession, CredentialResolver] | None = None

    def make(self, service: str, *, endpoint: str | None = None, config: Config | None = None) -> Any:
        """Return a new client of boto3. One whose credentials are rejected retries once with the current ones.

        Raises:
            BotoCoreError: when the settings of AWS are wrong.
        """
        with self._lock:
            client: Any = self._boto3.client(service, endpoint_url=endpoint, config=config)  # type: ignore[call-overload]
        if client.meta.service_model.resolved_protocol in ("json", "rest-json"):  # not S3
            client.meta.events.register("before-parse", require_whole)
        client.meta.events.register("before-sign", self._remember)
        client.meta.events.register("needs-retry", self._renew)
        return client

    def client(self, service: str, *, endpoint: str | None = None, config: Config | None = None) -> Any:
        """Return a client that is made by the thread which calls it first, since that takes long."""
        return LazyClient(service, lambda: self.make(service, endpoint=endpoint, config=config))

    @property
    def core(self) -> "CoreSession":
        """The session of botocore, which knows the settings of AWS."""
        return self._sources()[0]

    def _load_credentials(self) -> "Credentials | None":
        return self._sources()[1].load_credentials()

    def _sources(self) -> "tuple[CoreSession, CredentialResolver]":
        """Return botocore's session and its chain of credentials, whose place in it the shared ones take."""
        with self._lock:
            if self._made is None:
                from botocore.session import Session as CoreSession

                core = CoreSession(profile=self._profile)
                if self._region is not None:
                    core.set_config_variable("region", self._region)
                self._made = core, core.get_component("credential_provider")
                core.register_component("credential_provider", self.credentials)
            return self._made

    @cached_property
    def _boto3(self) -> "boto3.Session":
        from boto3 import Session as Boto3Session

        return Boto3Session(botocore_session=self.core)

    def _remember(self, request: Any, **_: Any) -> None:
        request.context[_SIGNED_WITH] = self.credentials.get_frozen_credentials()

    def _renew(self, response: Any, attempts: int, request_dict: Any, **_: Any) -> int | None:
        """Return the pause before another try, as botocore wants it told: none, where there are other credentials."""
        code = None if response is None else response[1].get("Error", {}).get("Code")
        signed_with = request_dict["context"].get(_SIGNED_WITH)
        if attempts > 1 or code not in UNACCEPTED or signed_with is None:
            return None
        return None if self.credentials.after_refusal(signed_with) is None else 0


class LazyClient:
    """Has the methods of a client, which is made when one of them is called."""

    def __init__(self, service: str, make: Callable[[], Any]) -> None:
        self._service = service
        self._make = make
        self._lock = threading.Lock()
        self._made: Any = None

    @property
    def meta(self) -> Any:
        """What boto3 says of the client, which is made for it."""
        return self._client().meta

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*arguments: Any, **request: Any) -> Any:
            return getattr(self._client(), name)(*arguments, **request)

        call.__qualname__ = f"{self._service}.{name}"
        return call

    def _client(self) -> Any:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made
