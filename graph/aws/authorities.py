"""The authorities of TLS that boto3 trusts, for connections that are made without it."""

import os
import ssl
from typing import TYPE_CHECKING

from botocore.exceptions import InvalidConfigError
from botocore.httpsession import get_cert_path

if TYPE_CHECKING:
    from botocore.session import Session


def ca_bundle(session: "Session") -> str | None:
    """Return the file of authorities that the settings name, in the order of boto3; None when none does.

    They are ``AWS_CA_BUNDLE``, ``ca_bundle`` of the profile and ``REQUESTS_CA_BUNDLE``.
    """
    configured: str | None = session.get_config_variable("ca_bundle")
    return os.environ.get("REQUESTS_CA_BUNDLE") if configured is None else configured


def client_context(session: "Session") -> ssl.SSLContext:
    """Return what a client of TLS trusts: the authorities of :func:`ca_bundle`, or else those that come with boto3.

    Raises:
        InvalidConfigError: of botocore, when the file cannot be read or holds no authorities.
    """
    bundle = ca_bundle(session)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Default contexts of Python 3.13 refuse authorities without key identifiers, which companies have and boto3 takes.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    try:
        context.load_verify_locations(cafile=get_cert_path(True) if bundle is None else bundle)
    except (OSError, ValueError) as error:  # SSLError is an OSError
        raise InvalidConfigError(
            error_msg=f"No authorities of TLS can be read from {bundle!r}, which AWS_CA_BUNDLE, ca_bundle of the "
            "profile or REQUESTS_CA_BUNDLE names: it must be a file of certificates in PEM."
        ) from error
    return context
