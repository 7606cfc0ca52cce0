"""Every setting of the server, on one page. Each is read from the environment under the prefix ``VAMS_GRAPH_``.

They are grouped by the task for which somebody would turn them; ``make settings`` writes the tables of
docs/operations.md from the groups.

Physical table names are not here: they come from the variables or the SSM parameters that VAMS itself uses
(:mod:`graph.tables.names`).
"""

from collections.abc import Iterable
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, IPvAnyNetwork, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from graph.hosts import ANY, allowed_host, allowed_origin

_PREFIX = "VAMS_GRAPH_"
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_SHORTEST_SECRET = 16


def _long_enough(secret: SecretStr) -> SecretStr:
    if len(secret.get_secret_value()) < _SHORTEST_SECRET:
        raise ValueError(f"a secret has at least {_SHORTEST_SECRET} characters; `openssl rand -base64 32` makes one")
    return secret


class UnknownSettings(Exception):
    """Variables have the prefix of settings and are none: what they were to close might stay open."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(f"There is no setting of the name {', '.join(sorted(names))}; see docs/operations.md.")


class ServerSettings(BaseSettings):
    """Listen, and end."""

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8000, ge=1, le=65535, description="Port to listen on.")
    workers: int = Field(1, ge=1, le=64, description="Processes that serve.")
    environment: Literal["production", "development"] = Field(
        "production",
        description=(
            "`development` opens introspection, the explorer, suggestions and queries by GET; see docs/http.md."
        ),
    )
    allowed_hosts: list[Annotated[str, AfterValidator(allowed_host)]] = Field(
        default_factory=list,
        description=(
            "JSON list of names that the Host header may have, without ports; in development loopback's, else any "
            "unless set. Needed where `VAMS_GRAPH_GATEWAY_NETWORKS` alone trusts a gateway."
        ),
    )
    cors_origins: list[Annotated[str, AfterValidator(allowed_origin)]] = Field(
        default_factory=list, description="JSON list of origins whose pages may ask from a browser."
    )
    get_queries: bool = Field(
        False, description="Queries by GET in production, for requests that carry a preflight header."
    )
    metrics_networks: list[IPvAnyNetwork] = Field(
        default_factory=lambda: [ip_network("127.0.0.0/8"), ip_network("::1/128")],
        description="JSON list of networks that may read /metrics.",
    )
    max_head_bytes: int = Field(
        65_536, ge=1_024, description="Bytes of a request line with its headers, and of trailers; longer ones are 431."
    )
    head_seconds: float = Field(
        10.0,
        gt=0,
        description="Seconds to the end of a request's head, and to the end of a body that was answered before it.",
    )
    max_connections: int = Field(
        0,
        ge=0,
        description=(
            "Connections to one process; 0 for what `ulimit -n` leaves. Beyond it, those that only wait make room."
        ),
    )
    drain_seconds: float = Field(
        2.0, ge=0, le=3, description="Seconds, at most 3, from SIGTERM to the end of accepting, while /readyz says 503."
    )
    cursor_secrets: list[Annotated[SecretStr, AfterValidator(_long_enough)]] = Field(
        default_factory=list,
        description=(
            "JSON list of secrets, of at least 16 characters each, that seal cursors. The first seals, all open: put a "
            "new one first to rotate."
        ),
    )


class AwsSettings(BaseSettings):
    """Reach AWS."""

    region: str | None = Field(None, description="AWS region; else that of the AWS environment or profile.")
    profile: str | None = Field(None, description="AWS profile; else the default credential chain.")
    ssm_endpoint: str | None = Field(None, description="SSM endpoint, for emulators and VPC endpoints.")
    dynamodb_endpoint: str | None = Field(None, description="DynamoDB endpoint, for emulators and VPC endpoints.")
    dynamodb_client: Literal["native", "boto3"] = Field(
        "native",
        description="What reads from DynamoDB; `boto3` takes some twenty times the CPU, and works through proxies.",
    )
    dynamodb_concurrency: int = Field(32, ge=1, le=256, description="DynamoDB calls in flight at once, per process.")
    dynamodb_timeout: float = Field(5.0, gt=0, description="Seconds to wait for one answer of DynamoDB.")
    dynamodb_attempts: int = Field(6, ge=1, le=12, description="Tries of one call, with back-off, before THROTTLED.")


class IdentitySettings(BaseSettings):
    """Tell who asks."""

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
    default_role: str = Field("", description="Role of users who are assigned none; empty for none.")
    gateway_secret: SecretStr | None = Field(None, description="Secret by which a gateway in front is trusted.")
    gateway_networks: list[str] = Field(
        default_factory=list, description="JSON list of private networks that a gateway in front connects from."
    )
    gateway_user_header: str = Field("x-vams-user", description="Header in which the gateway names the user.")
    federation_secret: SecretStr | None = Field(
        None, description="Secret by which the gateway of a supergraph is trusted; see docs/federation.md."
    )
    federation_networks: list[str] = Field(
        default_factory=list, description="JSON list of private networks that such a gateway connects from."
    )
    federation_node: bool = Field(
        True, description="Be the owner of `node` and `nodes` in a supergraph; without it, they are not offered to it."
    )


class ListSettings(BaseSettings):
    """Answer lists."""

    fast_execution: bool = Field(
        True, description="Answer queries by plans; without, graphql-core does it all, several times slower."
    )
    read_budget_pages: int = Field(200, ge=1, description="DynamoDB pages that one filtered list may read.")
    read_budget_seconds: float = Field(10.0, gt=0, description="Seconds that filling one page of a list may take.")


class LogSettings(BaseSettings):
    """Read logs."""

    logs_endpoint: str | None = Field(None, description="CloudWatch Logs endpoint, for emulators and VPC endpoints.")
    logs_concurrency: int = Field(
        16,
        ge=1,
        le=256,
        description="Calls of CloudWatch Logs, Batch and Deadline Cloud in flight at once, per process.",
    )
    logs_timeout: float = Field(10.0, gt=0, description="Seconds to wait for one answer of theirs.")
    logs_attempts: int = Field(4, ge=1, le=12, description="Tries of one call of theirs, with back-off.")
    logs_registered: int = Field(
        20, ge=0, description="Registered log sources of one step that one operation reads; further ones are SKIPPED."
    )
    logs_budget_calls: int = Field(100, ge=1, description="Calls of CloudWatch Logs that one page of lines may take.")
    logs_budget_seconds: float = Field(10.0, gt=0, description="Seconds that one operation may read logs.")


class EngineSettings(BaseSettings):
    """Read what is inside steps."""

    engines_endpoint: str | None = Field(None, description="Step Functions endpoint, for emulators and VPC endpoints.")
    engines_concurrency: int = Field(
        16, ge=1, le=256, description="Calls of Step Functions and of jobs' services in flight at once, per process."
    )
    engines_timeout: float = Field(5.0, gt=0, description="Seconds to wait for one answer of Step Functions.")
    engines_attempts: int = Field(3, ge=1, le=12, description="Tries of one call of an engine, with back-off.")
    engines_budget_seconds: float = Field(10.0, gt=0, description="Seconds that one operation may ask engines.")
    history_pages: int = Field(
        5, ge=1, description="Pages of 1,000 events read of one history, and of those that `history` leads on into."
    )
    history_pages_per_operation: int = Field(20, ge=1, description="Pages of histories that one operation reads.")
    history_memory_bytes: int = Field(
        64 * 1024 * 1024,
        ge=0,
        description="Bytes of histories of runs that ended, kept a minute per process; 0 keeps none.",
    )
    stages: int = Field(50, ge=1, description="Stages that are shown of one run of a state machine.")
    stage_depth: int = Field(3, ge=0, description="Containers that a stage may have around it to be shown.")
    status_check_seconds: float = Field(
        30.0, ge=0, description="Seconds before the engine is asked again for the status of one running execution."
    )
    status_checks: int = Field(
        20, ge=0, description="Running executions whose status one operation asks the engine for; 0 never asks."
    )
    write_back_status: bool = Field(
        False, description="Write what the engine says of a running execution to its row; see docs/engines.md."
    )


class FileSettings(BaseSettings):
    """Link to files."""

    files_endpoint: str | None = Field(None, description="S3 endpoint, for emulators and VPC endpoints.")
    files_concurrency: int = Field(8, ge=1, le=256, description="Calls of S3 in flight at once, per process.")
    files_timeout: float = Field(5.0, gt=0, description="Seconds to wait for one answer of S3.")
    downloads: bool = Field(
        False, description="Give links to files, to those who may download them in VAMS; see docs/files.md."
    )
    download_seconds: int = Field(3600, ge=300, le=3600, description="Seconds that a link may last at most.")
    download_buckets: list[str] = Field(
        default_factory=list, description="JSON list of buckets that may be linked to beside those registered in VAMS."
    )


class ActionSettings(BaseSettings):
    """Change what runs."""

    actions: bool = Field(
        False, description="Serve the mutations: what stops, deletes and starts runs; see docs/actions.md."
    )
    delete_executions: bool = Field(
        False, description="Let those who may delete executions do so, where `VAMS_GRAPH_ACTIONS` is on."
    )


class LimitSettings(BaseSettings):
    """Limit requests."""

    max_body_bytes: int = Field(
        262_144, ge=1024, description="Bytes of a request's body, as it is sent and once unpacked."
    )
    body_seconds: float = Field(10.0, gt=0, description="Seconds in which a request's body must arrive.")
    operation_seconds: float = Field(30.0, gt=0, description="Seconds that one operation may run.")
    points_at_once: int = Field(
        750_000, ge=1, description="Points of operations that run at once, per process; more wait, the cheapest least."
    )
    wait_seconds: float = Field(5.0, gt=0, description="Seconds that an operation waits for its turn, then OVERLOADED.")
    max_document_characters: int = Field(65_536, ge=1024, description="Characters of a document.")
    max_tokens: int = Field(3_000, ge=100, description="Tokens of a document, and comments in it.")
    max_depth: int = Field(20, ge=1, description="Fields within each other.")
    max_fields: int = Field(2_000, ge=100, description="Fields of an operation, each time that a fragment is spread.")
    max_root_fields: int = Field(20, ge=1, description="Fields of the root in one operation.")
    max_aliases: int = Field(100, ge=0, description="Aliases in a document.")
    max_directives: int = Field(100, ge=0, description="Directives in a document.")
    max_price: int = Field(150_000, ge=100, description="Points that one operation may cost.")
    max_response_bytes: int = Field(
        64 * 1024 * 1024, ge=1024 * 1024, description="Bytes of a response, before it is packed."
    )
    rate_points: int = Field(
        3_000_000, ge=0, description="Points that one user may spend at once, per process; 0 sets no limit."
    )
    rate_points_per_second: int = Field(75_000, ge=1, description="Points that a user gets back each second.")


class DocumentSettings(BaseSettings):
    """Trust documents."""

    trusted_documents: Path | None = Field(
        None, description="Manifest of trusted documents, as Relay, Apollo or GraphQL Code Generator writes it."
    )
    trusted_documents_only: bool = Field(False, description="Take no documents but those of the manifest.")
    apq_documents: int = Field(
        1_000, ge=0, description="Documents that clients may leave, to send their hashes instead; 0 keeps none."
    )


class Settings(
    DocumentSettings,
    ActionSettings,
    LimitSettings,
    FileSettings,
    EngineSettings,
    LogSettings,
    ListSettings,
    IdentitySettings,
    AwsSettings,
    ServerSettings,
):
    """Read once at start; a wrong value stops the start with a message that names the variable."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, frozen=True, extra="ignore")

    @model_validator(mode="after")
    def _admits_every_price(self) -> Self:
        if 0 < self.rate_points < self.max_price:
            raise ValueError(
                "VAMS_GRAPH_RATE_POINTS must be 0 or at least VAMS_GRAPH_MAX_PRICE: a dear operation could never run"
            )
        return self

    @model_validator(mode="after")
    def _trusts_something(self) -> Self:
        if self.trusted_documents_only and self.trusted_documents is None:
            raise ValueError("VAMS_GRAPH_TRUSTED_DOCUMENTS_ONLY needs the manifest in VAMS_GRAPH_TRUSTED_DOCUMENTS")
        return self

    @classmethod
    def refuse_unknown(cls, environment: Iterable[str]) -> None:
        """Look at the names of variables.

        Raises:
            UnknownSettings: for those that look like settings.
        """
        known = {f"{_PREFIX}{name}".upper() for name in cls.model_fields}
        if unknown := [name for name in environment if name.upper().startswith(_PREFIX) and name.upper() not in known]:
            raise UnknownSettings(unknown)

    @property
    def is_development(self) -> bool:
        """Whether what helps developers is shown."""
        return self.environment == "development"

    @property
    def known_hosts(self) -> frozenset[str] | None:
        """Names that the Host header may have; None for any."""
        if not self.allowed_hosts:
            return _LOOPBACK if self.is_development else None
        return None if ANY in self.allowed_hosts else frozenset(self.allowed_hosts)

    @property
    def has_explorer(self) -> bool:
        """Whether browsers are shown the explorer, which could ask nothing where only trusted documents are taken."""
        return self.is_development and not self.trusted_documents_only
