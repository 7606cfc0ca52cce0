import pytest

from graph.demo.registrations import PLANTED_SECRETS, REGISTRATIONS_ID, SECRETS_ID
from graph.tables.catalogue import STEP_LOGS
from tests.demo.reading import chain, execution, of_steps


def test_sub_executions_of_every_kind_are_registered() -> None:
    kinds = {entry.get("resourceType") for step in chain(REGISTRATIONS_ID) for entry in step["registeredSubExecutions"]}
    assert kinds == {"stepFunctionsExecution", "batchJob", "ecsTask", "deadlineCloudJob", "emrJob", None}


def test_a_sub_execution_is_registered_twice() -> None:
    convert, _ = chain(REGISTRATIONS_ID)
    first, second, *_ = convert["registeredSubExecutions"]
    assert first == second


def test_a_batch_job_is_known_by_its_arn_alone() -> None:
    convert, _ = chain(REGISTRATIONS_ID)
    jobs = [entry for entry in convert["registeredSubExecutions"] if entry.get("resourceType") == "batchJob"]
    assert [set(job) for job in jobs] == [{"resourceType", "jobArn"}, {"resourceType", "jobId", "stageName"}]


def test_logs_of_every_source_type_are_registered() -> None:
    types = {log.get("sourceType") for step in chain(REGISTRATIONS_ID) for log in step["registeredLogs"]}
    assert types == {"stateMachine", "lambda", "batch", "ecs", "container", "custom", "", None}


def test_a_log_is_registered_by_arn_with_and_without_the_wildcard() -> None:
    convert, _ = chain(REGISTRATIONS_ID)
    first, second, *_ = convert["registeredLogs"]
    assert first["logGroupArn"] == f"{second['logGroupArn']}:*"


def test_a_step_registered_as_many_logs_as_a_row_takes() -> None:
    _, render = chain(REGISTRATIONS_ID)
    assert len(render["registeredLogs"]) == 50


@pytest.mark.parametrize("secret", PLANTED_SECRETS)
def test_each_secret_is_planted(secret: str) -> None:
    row = execution(SECRETS_ID)
    logs = [log["errorLog"] for log in of_steps(STEP_LOGS, SECRETS_ID)]
    assert any(secret in text for text in (row["executionError"], row["executionLog"], *logs))


def test_secrets_are_planted_in_the_error_the_log_and_the_log_of_a_step() -> None:
    row = execution(SECRETS_ID)
    step_log, *_ = of_steps(STEP_LOGS, SECRETS_ID)
    for text in (row["executionError"], row["executionLog"], step_log["errorLog"]):
        assert any(secret in text for secret in PLANTED_SECRETS)
