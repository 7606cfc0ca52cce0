"""The boto3 clients that logs, jobs and engines are read with, and the calls of each that are used."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from botocore.config import Config

from graph.aws.sessions import Session
from graph.settings import Settings


class LogsClient(Protocol):
    """The two calls of a boto3 CloudWatch Logs client that are used."""

    @property
    def filter_log_events(self) -> Callable[..., Any]:
        """Searches a group."""

    @property
    def get_log_events(self) -> Callable[..., Any]:
        """Reads a stream."""


class BatchClient(Protocol):
    """The one call of a boto3 Batch client that reading uses."""

    @property
    def describe_jobs(self) -> Callable[..., Any]:
        """Describes up to a hundred jobs by id."""


class ActingBatchClient(BatchClient, Protocol):
    """The calls of a boto3 Batch client that are used."""

    @property
    def terminate_job(self) -> Callable[..., Any]:
        """Ends a job, whether it runs or waits."""


class DeadlineClient(Protocol):
    """The two calls of a boto3 Deadline Cloud client that reading uses."""

    @property
    def get_job(self) -> Callable[..., Any]:
        """Describes a job."""

    @property
    def list_sessions(self) -> Callable[..., Any]:
        """Gives one page of the sessions of a job."""


class ActingDeadlineClient(DeadlineClient, Protocol):
    """The calls of a boto3 Deadline Cloud client that are used."""

    @property
    def list_jobs(self) -> Callable[..., Any]:
        """Gives one page of the jobs of a queue."""

    @property
    def update_job(self) -> Callable[..., Any]:
        """Changes a job, which is how one is cancelled."""


class StatesClient(Protocol):
    """The calls of a boto3 Step Functions client that are used."""

    @property
    def describe_execution(self) -> Callable[..., Any]:
        """Describes an execution."""

    @property
    def describe_state_machine(self) -> Callable[..., Any]:
        """Describes a state machine as it stands now."""

    @property
    def describe_state_machine_for_execution(self) -> Callable[..., Any]:
        """Describes the state machine of an execution as it stood when the execution started."""

    @property
    def describe_map_run(self) -> Callable[..., Any]:
        """Describes the run of a distributed Map."""

    @property
    def list_executions(self) -> Callable[..., Any]:
        """Lists the executions that a Map run started."""

    @property
    def stop_execution(self) -> Callable[..., Any]:
        """Stops an execution."""

    @property
    def get_execution_history(self) -> Callable[..., Any]:
        """Gives one page of the events of an execution."""


class S3Client(Protocol):
    """The calls of a boto3 S3 client that are used."""

    @property
    def head_object(self) -> Callable[..., Any]:
        """Tells of an object without its bytes."""

    @property
    def get_object(self) -> Callable[..., Any]:
        """Reads an object, or a range of its bytes."""

    @property
    def generate_presigned_url(self) -> Callable[..., str]:
        """Signs a link, without a call."""


def _for_ever(seconds: int) -> int:
    return seconds


def one_attempt(timeout: float, connections: int, **more: Any) -> Config:
    """Configure a client to attempt each call once, within some seconds, over some connections at most.

    :mod:`graph.aws.retries` says whether there is another attempt; waiting for it holds no thread.
    """
    return Config(
        connect_timeout=timeout,
        read_timeout=timeout,
        max_pool_connections=connections,
        retries={"total_max_attempts": 1},
        tcp_keepalive=True,
        **more,
    )


@dataclass(frozen=True, slots=True)
class Clients:
    """One client of each service; of S3 None where there is none.

    ``lasting`` says how many of some seconds the credentials last that links are signed with.
    """

    logs: LogsClient
    batch: ActingBatchClient
    deadline: ActingDeadlineClient
    states: StatesClient
    s3: S3Client | None = None
    lasting: Callable[[int], int] = _for_ever


def connect(settings: Settings, session: Session | None = None) -> Clients:
    """Return the clients of a deployment's services, each made at its first call."""
    session = session or Session(settings.profile, settings.region)
    jobs = one_attempt(settings.logs_timeout, settings.logs_concurrency + settings.engines_concurrency)
    return Clients(
        logs=session.client(
            "logs",
            endpoint=settings.logs_endpoint,
            config=one_attempt(settings.logs_timeout, settings.logs_concurrency),
        ),
        batch=session.client("batch", config=jobs),
        deadline=session.client("deadline", config=jobs),
        states=session.client(
            "stepfunctions",
            endpoint=settings.engines_endpoint,
            config=one_attempt(settings.engines_timeout, settings.engines_concurrency),
        ),
        s3=session.client(
            "s3",
            endpoint=settings.files_endpoint,
            config=one_attempt(
                settings.files_timeout,
                settings.files_concurrency,
                signature_version="s3v4",
                s3={"addressing_style": "path"},
            ),
        ),
        lasting=session.credentials.lasting,
    )
