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
    """The one call of a boto3 Batch client that is used."""

    @property
    def describe_jobs(self) -> Callable[..., Any]:
        """Describes up to a hundred jobs by id."""


class DeadlineClient(Protocol):
    """The two calls of a boto3 Deadline Cloud client that are used."""

    @property
    def get_job(self) -> Callable[..., Any]:
        """Describes a job."""

    @property
    def list_sessions(self) -> Callable[..., Any]:
        """Gives one page of the sessions of a job."""


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
    def stop_execution(self) -> Callable[..., Any]:
        """Stops an execution."""

    @property
    def get_execution_history(self) -> Callable[..., Any]:
        """Gives one page of the events of an execution."""


@dataclass(frozen=True, slots=True)
class Clients:
    """One client of each service."""

    logs: LogsClient
    batch: BatchClient
    deadline: DeadlineClient
    states: StatesClient


def connect(settings: Settings, session: Session | None = None) -> Clients:
    """Clients of a deployment's services, each of which is made when it is first called."""
    session = session or Session(settings.profile, settings.region)

    def config(timeout: float, connections: int) -> Config:
        return Config(
            connect_timeout=timeout,
            read_timeout=timeout,
            max_pool_connections=connections,
            retries={"total_max_attempts": 1},  # retried by Caller, where waiting holds no thread
            tcp_keepalive=True,
        )

    jobs = config(settings.logs_timeout, settings.logs_concurrency + settings.engines_concurrency)
    return Clients(
        logs=session.client(
            "logs",
            endpoint=settings.logs_endpoint,
            config=config(settings.logs_timeout, settings.logs_concurrency),
        ),
        batch=session.client("batch", config=jobs),
        deadline=session.client("deadline", config=jobs),
        states=session.client(
            "stepfunctions",
            endpoint=settings.engines_endpoint,
            config=config(settings.engines_timeout, settings.engines_concurrency),
        ),
    )
