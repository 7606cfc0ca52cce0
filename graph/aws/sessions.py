"""boto3 as the settings say: what makes every client, with credentials that all clients share and renew."""

import threading
from collections.abc import Callable
from typing import Any

import boto3
import botocore.session
from botocore.config import Config

from graph.aws.credentials import UNACCEPTED, SharedCredentials

_SIGNED_WITH = "vams_graph_credentials"


class Session:
    """Makes clients. A process has one for each profile and region.

    Attributes:
        core: the session of botocore, which knows the settings of AWS.
        credentials: what all clients sign with.
    """

    def __init__(self, profile: str | None = None, region: str | None = None) -> None:
        self.core = botocore.session.Session(profile=profile)
        if region is not None:
            self.core.set_config_variable("region", region)
        self.credentials = SharedCredentials(self.core.get_component("credential_provider").load_credentials)
        self.core.register_component("credential_provider", self.credentials)
        self._boto3 = boto3.Session(botocore_session=self.core)
        self._lock = threading.Lock()

    def make(self, service: str, *, endpoint: str | None = None, config: Config | None = None) -> Any:
        """A client of boto3, made now. One whose credentials are refused tries once more with those of the moment.

        Raises:
            BotoCoreError: when the settings of AWS are wrong.
        """
        with self._lock:  # clients are not safe to make in several threads
            client: Any = self._boto3.client(service, endpoint_url=endpoint, config=config)  # type: ignore[call-overload]
        client.meta.events.register("before-sign", self._remember)
        client.meta.events.register("needs-retry", self._renew)
        return client

    def client(self, service: str, *, endpoint: str | None = None, config: Config | None = None) -> Any:
        """A client that is made by the thread which calls it first, since that takes long."""
        return LazyClient(service, lambda: self.make(service, endpoint=endpoint, config=config))

    def _remember(self, request: Any, **_: Any) -> None:
        request.context[_SIGNED_WITH] = self.credentials.get_frozen_credentials()

    def _renew(self, response: Any, attempts: int, request_dict: Any, **_: Any) -> int | None:
        """The pause before another try, as botocore wants it told: none, where there are other credentials."""
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
