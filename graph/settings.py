"""Every setting of the server, on one page. Each is read from the environment under the prefix ``VAMS_GRAPH_``.

Physical table names are not here: they come from the variables or the SSM parameters that VAMS itself uses
(:mod:`graph.tables.names`).
"""

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Read once at start; a wrong value stops the start with a message that names the variable."""

    model_config = SettingsConfigDict(env_prefix="VAMS_GRAPH_", frozen=True, extra="ignore")

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8000, ge=1, le=65535, description="Port to listen on.")

    region: str | None = Field(None, description="AWS region; else that of the AWS environment or profile.")
    profile: str | None = Field(None, description="AWS profile; else the default credential chain.")
    dynamodb_endpoint: str | None = Field(None, description="DynamoDB endpoint, for emulators and VPC endpoints.")
    ssm_endpoint: str | None = Field(None, description="SSM endpoint, for emulators and VPC endpoints.")

    cursor_secrets: list[SecretStr] = Field(
        default_factory=list,
        description="JSON list of secrets that seal cursors. The first seals, all open: put a new one first to rotate.",
    )

    dynamodb_concurrency: int = Field(32, ge=1, le=256, description="DynamoDB calls in flight at once, per process.")
    dynamodb_timeout: float = Field(5.0, gt=0, description="Seconds to wait for one answer of DynamoDB.")
    dynamodb_attempts: int = Field(6, ge=1, le=12, description="Tries of one call, with back-off, before THROTTLED.")

    api_keys: bool = Field(False, description="Accept the API keys of VAMS.")
    cognito_pool_id: str | None = Field(None, description="Cognito user pool whose tokens are accepted.")
    cognito_client_ids: list[str] = Field(default_factory=list, description="JSON list of the pool's client ids.")
    oidc_issuer: str | None = Field(
        None, description="OpenID Connect issuer whose tokens are accepted, as iss spells it."
    )
    oidc_audiences: list[str] = Field(default_factory=list, description="JSON list of audiences or client ids of it.")
    oidc_keys_url: str | None = Field(None, description="Where its public keys are; else they are discovered.")
    mfa_claim: str = Field("amr", description="Claim that tells of a second factor, where no Cognito pool is asked.")
    mfa_value: str = Field("mfa", description="What the claim is or holds in a session with a second factor.")
    gateway_secret: SecretStr | None = Field(None, description="Secret by which a gateway in front is trusted.")
    gateway_networks: list[str] = Field(
        default_factory=list, description="JSON list of private networks that a gateway in front connects from."
    )
    gateway_user_header: str = Field("x-vams-user", description="Header in which the gateway names the user.")
    default_role: str = Field("", description="Role of users who are assigned none; empty for none.")

    read_budget_pages: int = Field(200, ge=1, description="DynamoDB pages that one filtered list may read.")
    read_budget_seconds: float = Field(10.0, gt=0, description="Seconds that filling one page of a list may take.")

    logs_endpoint: str | None = Field(None, description="CloudWatch Logs endpoint, for emulators and VPC endpoints.")
    logs_concurrency: int = Field(
        16,
        ge=1,
        le=256,
        description="Calls of CloudWatch Logs, Batch and Deadline Cloud in flight at once, per process.",
    )
    logs_timeout: float = Field(10.0, gt=0, description="Seconds to wait for one answer of theirs.")
    logs_attempts: int = Field(4, ge=1, le=12, description="Tries of one call of theirs, with back-off.")
    logs_at_once: int = Field(5, ge=1, description="Log sources that one operation reads at the same time.")
    logs_registered: int = Field(
        20, ge=0, description="Registered log sources of one step that one operation reads; further ones are SKIPPED."
    )
    logs_budget_calls: int = Field(100, ge=1, description="Calls of CloudWatch Logs that one page of lines may take.")
    logs_budget_seconds: float = Field(10.0, gt=0, description="Seconds that one operation may read logs.")
