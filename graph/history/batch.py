"""The AWS Batch job behind a Task, which only its events know."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from graph.history.visit import Visit


class StartedJob(NamedTuple):
    """The job of a visit's last attempt; the stream is None until the job tells where it logs."""

    job_id: str
    log_stream_name: str | None


def batch_job(visit: Visit) -> StartedJob | None:
    """Read the job from the events of a Task; None for other work, and where execution data was left out."""
    job_id = log_stream_name = None
    for event in (visit.submission, visit.outcome):
        if event is None or event.text("resourceType") != "batch":
            continue
        # A failed job describes itself in the cause.
        job = _json_object(event.text("output") or event.text("cause"))
        job_id = _text(job, "JobId") or job_id
        container = job.get("Container")
        if isinstance(container, Mapping):
            log_stream_name = _text(container, "LogStreamName") or log_stream_name
    return StartedJob(job_id, log_stream_name) if job_id is not None else None


def _json_object(text: str | None) -> Mapping[str, object]:
    try:
        value = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def _text(job: Mapping[str, object], key: str) -> str | None:
    value = job.get(key)
    return value if isinstance(value, str) and value else None
