"""What descriptions of AWS Batch jobs say of their logs."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

DEFAULT_LOG_GROUP = "/aws/batch/job"
"""Where jobs log whose definition names no group."""


def log_streams(job: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the streams of a job as DescribeJobs gives it, each once: of its containers, then of earlier attempts.

    A job has one container, or several in its tasks of ECS. Pods of EKS have no stream that Batch knows.
    """
    described = chain(
        _containers(job, job.get("ecsProperties")), *map(_of_attempt, reversed(job.get("attempts") or ()))
    )
    streams = (container.get("logStreamName") for container in described)
    return tuple(dict.fromkeys(stream for stream in streams if isinstance(stream, str) and stream))


def log_groups(job: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the log groups that a job's definition gives its containers."""
    return frozenset(
        group
        for container in _containers(job, job.get("ecsProperties"))
        if (group := ((container.get("logConfiguration") or {}).get("options") or {}).get("awslogs-group"))
    )


def _of_attempt(attempt: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return _containers(attempt, attempt)


def _containers(holder: Mapping[str, Any], tasks: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    if container := holder.get("container"):
        yield container
    for task in (tasks or {}).get("taskProperties") or ():
        yield from task.get("containers") or ()
