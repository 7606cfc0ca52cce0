"""The Batch job behind a Task."""

import pytest

from graph.history import StartedJob, batch_job
from tests.history.tables import read

START = """
    1 ExecutionStarted 0
    2 TaskStateEntered 0 name: Convert
    3 TaskScheduled 2 resourceType: batch
"""


@pytest.mark.parametrize(
    ("events", "job"),
    [
        ("", None),
        ('4 TaskSubmitted 3 resourceType: batch, output: {"JobId":"j"}', StartedJob("j", None)),
        ('4 TaskSubmitted 3 resourceType: sqs, output: {"JobId":"j"}', None),
        ("4 TaskSubmitted 3 resourceType: batch, output: not JSON", None),
        ("4 TaskSubmitted 3 resourceType: batch, output: [1]", None),
        ("4 TaskSubmitted 3 resourceType: batch, output: " + "[" * 100_000, None),
        ('4 TaskSubmitted 3 resourceType: batch, output: {"JobId":7}', None),
        ('4 TaskSucceeded 3 resourceType: batch, output: {"JobId":"j"}', StartedJob("j", None)),
        (
            '4 TaskSucceeded 3 resourceType: batch, output: {"JobId":"j","Container":{"LogStreamName":"s"}}',
            StartedJob("j", "s"),
        ),
        (
            '4 TaskFailed 3 resourceType: batch, error: E, cause: {"JobId":"j","Container":{"LogStreamName":"s"}}',
            StartedJob("j", "s"),
        ),
    ],
)
def test_the_job_is_what_the_last_events_say(events: str, job: StartedJob | None) -> None:
    (visit,) = read(START + events.replace(', "', ',"')).visits
    assert batch_job(visit) == job


def test_a_retry_forgets_the_job_before() -> None:
    (visit,) = read(
        START
        + """
        4 TaskSubmitted 3 resourceType: batch, output: {"JobId":"j"}
        5 TaskFailed 4 resourceType: batch
        6 TaskScheduled 5 resourceType: batch
        """
    ).visits
    assert batch_job(visit) is None
