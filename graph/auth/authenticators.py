"""The authenticators that the settings configure."""

from collections.abc import Sequence

from graph.auth.api_keys import ApiKeys
from graph.auth.fetch import Fetcher
from graph.auth.gateway import Gateway, Proof
from graph.auth.identity import Authenticator
from graph.auth.mfa import CLIENT, ClaimMfa, CognitoMfa, MfaCheck
from graph.auth.tokens import Issuer, Tokens, cognito_issuer
from graph.aws.sessions import Session
from graph.hosts import ANY
from graph.loaders.permissions import PermissionRows
from graph.settings import Settings

HINT = (
    "No authentication is configured, and anonymous requests are rejected. Set one or more of "
    "VAMS_GRAPH_API_KEYS=true, VAMS_GRAPH_COGNITO_POOL_ID with VAMS_GRAPH_COGNITO_CLIENT_IDS, "
    "VAMS_GRAPH_OIDC_ISSUER with VAMS_GRAPH_OIDC_AUDIENCES, VAMS_GRAPH_GATEWAY_SECRET, VAMS_GRAPH_GATEWAY_NETWORKS."
)

FEDERATION_SECRET = "x-vams-federation-secret"  # noqa: S105 - the name of a header
"""The header in which the gateway of a supergraph proves itself."""


class NotConfigured(Exception):
    """The settings configure no authenticator, or one only in part."""


def configured_authenticators(settings: Settings, rows: PermissionRows) -> Sequence[Authenticator]:
    """Return the configured authenticators in the order in which they are tried: API keys, tokens, a gateway in front.

    Raises:
        NotConfigured: when there is none, or one lacks a part; the text says what to set.
    """
    _require_companions(settings)
    found: list[Authenticator] = []
    try:
        mfa = _mfa(settings)
        if settings.api_keys:
            found.append(ApiKeys(rows))
        if issuers := _issuers(settings, mfa):
            found.append(Tokens(issuers, fetch=Fetcher(settings.profile)))
        if settings.gateway_secret is not None or settings.gateway_networks:
            found.append(_gateway(settings, mfa))
    except ValueError as error:
        raise NotConfigured(str(error)) from error
    if not found:
        raise NotConfigured(HINT)
    return found


def federation_proof(settings: Settings) -> Proof | None:
    """Return how the gateway of a supergraph proves itself; None when the settings trust none.

    Raises:
        NotConfigured: when it would prove nothing; the text says why.
    """
    secret, networks = settings.federation_secret, settings.federation_networks
    if secret is None and not networks:
        return None
    try:
        return Proof(FEDERATION_SECRET, secret=secret.get_secret_value() if secret else None, networks=networks)
    except ValueError as error:
        raise NotConfigured(f"The gateway of a supergraph: {error}") from error


def _require_companions(settings: Settings) -> None:
    """Reject a setting that means nothing without another."""
    needs = (
        ("cognito_pool_id", "cognito_client_ids", "or tokens for any client would do"),
        ("cognito_client_ids", "cognito_pool_id", "whose clients they are"),
        ("oidc_issuer", "oidc_audiences", "or tokens for anybody would do"),
        ("oidc_audiences", "oidc_issuer", "whose tokens name them"),
        ("oidc_keys_url", "oidc_issuer", "whose keys they are"),
    )
    for given, needed, why in needs:
        if getattr(settings, given) and not getattr(settings, needed):
            raise NotConfigured(f"{_variable(given)} needs {_variable(needed)}, {why}.")
    if settings.gateway_networks and settings.gateway_secret is None:
        _require_known_pages(settings)


def _require_known_pages(settings: Settings) -> None:
    """Reject trust in addresses alone: a page in a browser that has such an address could set any header."""
    networks = _variable("gateway_networks")
    if settings.known_hosts is None:
        raise NotConfigured(
            f"{networks} needs {_variable('allowed_hosts')} or {_variable('gateway_secret')}, or a page whose name was "
            "rebound to this server could be any user from a browser in these networks."
        )
    if ANY in settings.cors_origins:
        raise NotConfigured(
            f"{networks} needs {_variable('gateway_secret')} or a list of origins without * in "
            f"{_variable('cors_origins')}, or any page could be any user from a browser in these networks."
        )


def _variable(name: str) -> str:
    return f"VAMS_GRAPH_{name.upper()}"


def _mfa(settings: Settings) -> MfaCheck:
    if settings.cognito_pool_id is None:
        return ClaimMfa(settings.mfa_claim, settings.mfa_value)
    session = Session(settings.profile, _region_of(settings.cognito_pool_id))
    return CognitoMfa(session.client("cognito-idp", config=CLIENT), settings.cognito_pool_id)


def _issuers(settings: Settings, mfa: MfaCheck) -> list[Issuer]:
    issuers: list[Issuer] = []
    if settings.cognito_pool_id is not None:
        region = _region_of(settings.cognito_pool_id)
        issuers.append(cognito_issuer(region, settings.cognito_pool_id, settings.cognito_client_ids, mfa))
    if settings.oidc_issuer is not None:
        claim = ClaimMfa(settings.mfa_claim, settings.mfa_value)
        issuers.append(Issuer(settings.oidc_issuer, frozenset(settings.oidc_audiences), claim, settings.oidc_keys_url))
    return issuers


def _region_of(pool_id: str) -> str:
    """Return the region of a Cognito user pool, with which its id begins."""
    region, underscore, _ = pool_id.partition("_")
    if not underscore:
        raise ValueError(f"{_variable('cognito_pool_id')} is no id of a user pool, such as eu-west-1_AbCdEf123.")
    return region


def _gateway(settings: Settings, mfa: MfaCheck) -> Gateway:
    secret = settings.gateway_secret
    try:
        return Gateway(
            mfa=mfa,
            secret=secret.get_secret_value() if secret else None,
            networks=settings.gateway_networks,
            user_header=settings.gateway_user_header,
        )
    except ValueError as error:
        raise ValueError(f"The gateway in front: {error}") from error
