"""The handler of events by which steps register what they started, as AWS Lambda calls it for a rule of EventBridge.

The rule is on the orchestration bus, for the detail type ``pipeline.execution.register``.
"""

import logging
from functools import cache
from typing import Any

from botocore.config import Config

from graph.actions.registering import NotRegistered
from graph.actions.registrar import Registrar
from graph.app import connect
from graph.aws.sessions import Session
from graph.settings import Settings
from graph.tables.catalogue import STEPS

_ATTEMPTS = 5

log = logging.getLogger(__name__)


def handle(event: object, _context: object = None) -> dict[str, Any]:
    """Register what an event says, and return what became of it.

    What would never be registered is told and not raised, since Lambda would only deliver it again.

    Raises:
        Contended: of :mod:`graph.actions.registrar`; the event should be delivered again.
        ClientError, BotoCoreError: of botocore, when the table cannot be read or written.
    """
    return register_with(_registrar(), event)


def register_with(registrar: Registrar, event: object) -> dict[str, Any]:
    """Register what an event says with a registrar; as :func:`handle` does."""
    try:
        return registrar.register(event).told()
    except NotRegistered as refused:
        log.warning("an event registered nothing: %s", refused.reason.value)
        return {"reason": refused.reason.value}


@cache
def _registrar() -> Registrar:
    return make_registrar(Settings())


def make_registrar(settings: Settings) -> Registrar:
    """Return what stores registrations in a deployment.

    Raises:
        MissingTableNames: when neither the environment nor SSM names every table.
    """
    session = Session(settings.profile, settings.region)
    _, names = connect(settings, session=session)
    retries: Any = {"total_max_attempts": _ATTEMPTS, "mode": "standard"}
    config = Config(connect_timeout=settings.dynamodb_timeout, read_timeout=settings.dynamodb_timeout, retries=retries)
    client = session.make("dynamodb", endpoint=settings.dynamodb_endpoint, config=config)
    return Registrar(client, names[STEPS])
