"""The ways to tell who asks, as the settings configure them."""

from collections.abc import Sequence
from typing import Any

import boto3

from graph.auth.api_keys import ApiKeys
from graph.auth.gateway import Gateway
from graph.auth.identity import Authenticator
from graph.auth.mfa import ClaimMfa, CognitoMfa, MfaCheck
from graph.auth.tokens import Issuer, Tokens, cognito_issuer
from graph.loaders.permissions import PermissionRows
from graph.settings import Settings

HINT = (
    "No way to tell who asks is configured, and nobody is served unknown. Set one or more of VAMS_GRAPH_API_KEYS=true, "
    "VAMS_GRAPH_COGNITO_POOL_ID with VAMS_GRAPH_COGNITO_CLIENT_IDS, VAMS_GRAPH_OIDC_ISSUER with "
    "VAMS_GRAPH_OIDC_AUDIENCES, VAMS_GRAPH_GATEWAY_SECRET, VAMS_GRAPH_GATEWAY_NETWORKS."
)


class NotConfigured(Exception):
    """The settings name no way to tell who asks, or name one only in part."""


def configured_ways(settings: Settings, rows: PermissionRows) -> Sequence[Authenticator]:
    """The ways that are configured, in the order in which they are tried: API keys, tokens, a gateway in front.

    Raises:
        NotConfigured: when there is none, or one lacks a part; the text says what to set.
    """
    mfa = _mfa(settings)
    ways: list[Authenticator] = []
    if settings.api_keys:
        ways.append(ApiKeys(rows))
    if issuers := _issuers(settings, mfa):
        ways.append(Tokens(issuers))
    if settings.gateway_secret is not None or settings.gateway_networks:
        ways.append(_gateway(settings, mfa))
    if not ways:
        raise NotConfigured(HINT)
    return ways


def _mfa(settings: Settings) -> MfaCheck:
    if settings.cognito_pool_id is None:
        return ClaimMfa(settings.mfa_claim, settings.mfa_value)
    session = boto3.Session(profile_name=settings.profile, region_name=settings.region)
    client: Any = session.client("cognito-idp")
    return CognitoMfa(client, settings.cognito_pool_id)


def _issuers(settings: Settings, mfa: MfaCheck) -> list[Issuer]:
    issuers: list[Issuer] = []
    if settings.cognito_pool_id is not None:
        if not settings.cognito_client_ids:
            raise NotConfigured(
                "VAMS_GRAPH_COGNITO_CLIENT_IDS is needed beside the pool, or any client's tokens would do."
            )
        region = settings.region or settings.cognito_pool_id.partition("_")[0]
        issuers.append(cognito_issuer(region, settings.cognito_pool_id, settings.cognito_client_ids, mfa))
    if settings.oidc_issuer is not None:
        if not settings.oidc_audiences:
            raise NotConfigured("VAMS_GRAPH_OIDC_AUDIENCES is needed beside the issuer, or tokens for others would do.")
        claim = ClaimMfa(settings.mfa_claim, settings.mfa_value)
        issuers.append(Issuer(settings.oidc_issuer, frozenset(settings.oidc_audiences), claim, settings.oidc_keys_url))
    return issuers


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
        raise NotConfigured(f"The gateway in front: {error}") from error
