"""Runs whose steps registered what they started and where it logs, and one whose texts hold secrets."""

from collections.abc import Iterator
from dataclasses import replace

from graph.demo import world
from graph.demo.model import ACCOUNT, FARM_ID, QUEUE_ID, REGION, Run, Selection, StepLog, identifier
from graph.demo.rows import Row
from graph.demo.run_rows import run_rows
from graph.demo.timeline import execution_id, played
from graph.tables.builders.steps import registered_log

REGISTRATIONS_ID = execution_id("registrations")
SECRETS_ID = execution_id("secrets")

# None of these may ever be read from the graph. The access key is the one of the AWS documentation.
PLANTED_SECRETS = (
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI-K7MDENG-bPxRfiCYEXAMPLEKEY",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJkZW1vIn0.c2lnbmF0dXJl",
    "AQCEAAAAKgAAAAMAAAAAAAAAAT-demo-task-token",
    "mF_9.B5f-4.1JqM",
)

_LOGS = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group"
_STATES = f"arn:aws:states:{REGION}:{ACCOUNT}"


def registration_rows() -> Iterator[Row]:
    """Yield the rows of the runs."""
    yield from run_rows(REGISTRATIONS_RUN)
    yield from run_rows(SECRETS_RUN)


def _registrations() -> Run:
    machine = {
        "resourceType": "stepFunctionsExecution",
        "stateMachineArn": f"{_STATES}:stateMachine:Convert",
        "executionArn": f"{_STATES}:execution:Convert:5c1d-convert",
        "stageName": "Convert",
        "label": "Conversion",
    }
    sub_executions = (
        machine,
        # An event delivered twice.
        machine,
        # A machine that is known by its execution alone, and one registered before the type was.
        {"resourceType": "stepFunctionsExecution", "executionArn": f"{_STATES}:execution:Texture:5c1d-texture"},
        {"executionArn": f"{_STATES}:execution:Legacy:5c1d-legacy"},
        {
            "resourceType": "batchJob",
            "jobArn": f"arn:aws:batch:{REGION}:{ACCOUNT}:job/0b1c2d3e-4f50-4617-8899-aabbccddeeff",
        },
        {"resourceType": "batchJob", "jobId": "1b1c2d3e-4f50-4617-8899-aabbccddeeff", "stageName": "Bake"},
        {
            "resourceType": "ecsTask",
            "taskArn": f"arn:aws:ecs:{REGION}:{ACCOUNT}:task/vams/{identifier('task')}",
            "clusterArn": f"arn:aws:ecs:{REGION}:{ACCOUNT}:cluster/vams",
            "label": "Viewer warm-up",
        },
        {
            "resourceType": "emrJob",
            "arn": f"arn:aws:emr-serverless:{REGION}:{ACCOUNT}:/applications/00demo/jobruns/00run",
        },
    )
    logs = (
        registered_log(
            f"{_LOGS}:/aws/vendedlogs/VAMSstateMachine-Convert:*", stage="Convert", source_type="stateMachine"
        ),
        # The same place again, without the trailing :* and with a label.
        registered_log(
            f"{_LOGS}:/aws/vendedlogs/VAMSstateMachine-Convert", label="Conversion", source_type="stateMachine"
        ),
        registered_log(
            f"{_LOGS}:/aws/batch/job", "/aws/batch/job", prefix="vams-bake/default/", stage="Bake", source_type="batch"
        ),
        # The same place by name alone.
        registered_log(group_name="/aws/batch/job", prefix="vams-bake/default/", label="Baking"),
        registered_log(f"{_LOGS}:/aws/lambda/vams-texture", stage="Texture", source_type="lambda"),
        registered_log(f"{_LOGS}:/ecs/vams-viewer", stream=f"viewer/web/{identifier('task')}", source_type="ecs"),
        registered_log(group_name="/aws/vendedlogs/Pipelines/convert", label="Container", source_type="container"),
        registered_log(group_name="/studio/notes", label="Notes of the studio", source_type="custom"),
        registered_log(group_name="/aws/lambda/vams-vamsExecuteConv", label="What the step's own function says"),
        # As rows were before stages, labels and types.
        {"logGroupArn": "", "logGroupName": "/old/convert", "logStreamName": "", "logStreamPrefix": ""},
    )
    sessions = tuple(
        registered_log(
            group_name=f"/aws/deadline/{FARM_ID}/{QUEUE_ID}", stream=f"session-{number:03}", label=f"Session {number}"
        )
        for number in range(50)
    )
    job = {
        "resourceType": "deadlineCloudJob",
        "farmId": FARM_ID,
        "queueId": QUEUE_ID,
        "jobId": f"job-{identifier('job')}",
        "label": "Turntable",
    }
    run = replace(
        played(REGISTRATIONS_ID, world.TURNTABLE, "2026-06-12T15:00:00Z"),
        inputs=(Selection(world.BRONZE_HORSE, "/horse.obj", "bh-1"),),
        output_asset=world.BRONZE_HORSE,
        output_path="/film/",
    )
    return run.with_step(0, sub_executions=sub_executions, logs=logs).with_step(1, sub_executions=(job,), logs=sessions)


def _secrets() -> Run:
    access_key, secret_key, jwt, task_token, bearer = PLANTED_SECRETS
    error = f"ConverterError: upload refused (authorization: Bearer {bearer})"
    run = replace(
        played(SECRETS_ID, world.CONVERT_QA_THUMB, "2026-06-11T15:00:00Z", "FAILED", reached=0, error=error),
        inputs=(Selection(world.PIPE_RACK, "/rack.step", "pr-1"),),
        output_asset=world.PIPE_RACK,
        log="\n".join(
            (
                f'{{"event":"start","TaskToken":"{task_token}"}}',
                f'{{"environment":[{{"Name":"EXTERNAL_SFN_TASK_TOKEN","Value":"{task_token}"}}]}}',
                f"using {access_key} with SecretAccessKey={secret_key}",
                f'{{\\"Credentials\\":\\"{secret_key}\\"}}',
                f"session {jwt} opened",
            )
        ),
    )
    return run.with_step(0, log=StepLog(error=f"x-amz-security-token: {jwt}\n{error}\n{access_key}"))


REGISTRATIONS_RUN = _registrations()
SECRETS_RUN = _secrets()
