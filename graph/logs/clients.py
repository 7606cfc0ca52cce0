"""The boto3 clients that logs are read with."""

from dataclasses import dataclass

import boto3
from botocore.config import Config

from graph.logs.cloudwatch import LogsClient
from graph.logs.jobs import BatchClient, DeadlineClient
from graph.settings import Settings


@dataclass(frozen=True, slots=True)
class Clients:
    """One client of each service."""

    logs: LogsClient
    batch: BatchClient
    deadline: DeadlineClient


def connect(settings: Settings) -> Clients:
    """Clients of a deployment's services. They are not safe to make in threads, so they are made once, at start."""
    session = boto3.Session(profile_name=settings.profile, region_name=settings.region)
    config = Config(
        connect_timeout=settings.logs_timeout,
        read_timeout=settings.logs_timeout,
        max_pool_connections=settings.logs_concurrency,
        retries={"total_max_attempts": 1},  # retried by Caller, where waiting holds no thread
        tcp_keepalive=True,
    )
    return Clients(
        logs=session.client("logs", endpoint_url=settings.logs_endpoint, config=config),
        batch=session.client("batch", config=config),
        deadline=session.client("deadline", config=config),
    )
