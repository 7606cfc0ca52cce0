from graph.demo.logs import BAKE_JOB, QUALITY_LINES, QUALITY_STREAM, log_clients
from graph.demo.registrations import PLANTED_SECRETS
from graph.demo.samples import SAMPLE_RUN

ALL = {"endTime": 10_000_000_000_000}


def test_one_source_has_tens_of_thousands_of_lines_several_to_a_millisecond() -> None:
    given: dict[str, str] = {}
    times: list[int] = []
    while True:
        page = log_clients().logs.get_log_events(
            logGroupIdentifier="/aws/batch/job", logStreamName=QUALITY_STREAM, startFromHead=True, **given
        )
        times += (event["timestamp"] for event in page["events"])
        if page["nextForwardToken"] == given.get("nextToken"):
            break
        given = {"nextToken": page["nextForwardToken"]}
    assert len(times) == QUALITY_LINES
    assert QUALITY_LINES >= 40_000


def test_the_lines_of_the_sample_run_lie_within_it() -> None:
    page = log_clients().logs.filter_log_events(
        logGroupIdentifier="/aws/vendedlogs/VAMSWorkflowExecutions-prod",
        filterPattern=f'"{SAMPLE_RUN.execution_id}"',
        **ALL,
    )
    assert len(page["events"]) == 9
    assert len({event["timestamp"] for event in page["events"]}) < 9


def test_every_secret_is_planted_in_a_source() -> None:
    page = log_clients().logs.filter_log_events(
        logGroupIdentifier="/aws/batch/job", logStreamNamePrefix="vams-convert-", **ALL
    )
    text = "\n".join(event["message"] for event in page["events"])
    assert [secret for secret in PLANTED_SECRETS if secret not in text] == []


def test_batch_remembers_one_job() -> None:
    jobs = log_clients().batch.describe_jobs(jobs=[BAKE_JOB, "forgotten"])["jobs"]
    assert [job["jobId"] for job in jobs] == [BAKE_JOB]


def test_sessions_come_in_pages() -> None:
    deadline, sessions = log_clients().deadline, list[str]()
    token: dict[str, str] = {}
    while True:
        page = deadline.list_sessions(farmId="f", queueId="q", jobId="j", maxResults=5, **token)
        sessions += (session["sessionId"] for session in page["sessions"])
        if "nextToken" not in page:
            break
        token = {"nextToken": page["nextToken"]}
    assert len(set(sessions)) == 12
