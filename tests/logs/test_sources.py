from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.logs.sources import LogKind, LogSource, LogSourceType, available_logs, find_log, registered_logs

PLACE = "arn:aws:logs:us-west-2:123456789012:log-group:"
EXECUTION_GROUP = PLACE + "/aws/vendedlogs/VAMSstateMachine-workflows:*"
FARM, QUEUE = "farm-0123456789abcdef0123456789abcdef", "queue-0123456789abcdef0123456789abcdef"


def logs_of(
    *,
    execution_type: str = "Lambda",
    resource: str = "",
    logs: Any = (),
    subs: Any = (),
    group: str = EXECUTION_GROUP,
    region: str = "",
) -> list[LogSource]:
    return available_logs(
        pipeline_execution_type=execution_type,
        pipeline_resource_arn=resource,
        registered_logs=logs,
        registered_sub_executions=subs,
        execution_log_group_arn=group,
        region=region,
    )


def the_log(**row: Any) -> LogSource:
    (source,) = logs_of(**row)
    return source


def entry(**attributes: str) -> dict[str, str]:
    keys = ("logGroupArn", "logGroupName", "logStreamName", "logStreamPrefix", "stageName", "label", "sourceType")
    return dict.fromkeys(keys, "") | attributes


def job(**attributes: str) -> dict[str, str]:
    return {"resourceType": "deadlineCloudJob", "farmId": FARM, "queueId": QUEUE, "jobId": "job-1"} | attributes


CONVERSION = "/aws/vendedlogs/VAMSstateMachine-ConversionPipeline"


def test_the_log_ids_of_the_rest_api_are_reproduced() -> None:
    batch = entry(logGroupArn=PLACE + "/aws/batch/job", logStreamPrefix="vams-thumbnail-a1b2c3d4e5/default/")
    assert the_log(logs=[batch]).log_id == "251d2efd9b757e7a"
    assert the_log(resource="vams-vamsExecuteThumb").log_id == "345a49856a453bbe"
    machine = the_log(logs=[entry(logGroupArn=PLACE + CONVERSION)])
    assert machine.log_id == "91bc79f04fef629e"
    assert find_log([machine], "476aa858de41bb40") is machine
    assert the_log(subs=[job()]).log_id == "bb036b88097b3bac"


def row(source: LogSource) -> tuple[LogKind, str, LogSourceType, str | None, str]:
    return source.kind, source.label, source.source_type, source.stage_name, source.log_id


def test_a_step_lists_its_invocation_before_what_it_registered() -> None:
    sources = logs_of(
        resource="vams-vamsExecuteConv",
        logs=[
            entry(logGroupArn=PLACE + CONVERSION, label="Conversion state machine", sourceType="stateMachine"),
            entry(
                logGroupArn=PLACE + "/aws/batch/job",
                logGroupName="/aws/batch/job",
                logStreamPrefix="vams-convert-a1b2c3d4e5/default/",
                stageName="ConvertBatch",
                label="Converter container",
                sourceType="batch",
            ),
        ],
        subs=[{"resourceType": "stepFunctionsExecution", "executionArn": "arn:aws:states:us-west-2:123456789012:x"}],
    )
    assert [row(source) for source in sources] == [
        (LogKind.INVOCATION, "vams-vamsExecuteConv", LogSourceType.LAMBDA, None, "549fcc9282fb36e2"),
        (LogKind.REGISTERED, "Conversion state machine", LogSourceType.STATE_MACHINE, None, "91bc79f04fef629e"),
        (LogKind.REGISTERED, "Converter container", LogSourceType.BATCH, "ConvertBatch", "ecd4e27db623e44c"),
    ]


def test_a_log_registered_by_name_lies_where_the_execution_logs() -> None:
    sources = logs_of(
        resource="arn:aws:lambda:us-west-2:123456789012:function:vams-vamsExecuteQuality",
        logs=[
            entry(
                logGroupName="/aws/batch/job",
                logStreamName="vams-quality-f6e5d4c3b2/default/0f9e8d7c6b5a43218765fedcba987654",
                stageName="QualityJob",
                label="Quality container",
                sourceType="batch",
            )
        ],
    )
    assert [row(source) for source in sources] == [
        (LogKind.INVOCATION, "vams-vamsExecuteQuality", LogSourceType.LAMBDA, None, "fbdbbf7f6c387606"),
        (LogKind.REGISTERED, "Quality container", LogSourceType.BATCH, "QualityJob", "633b4a30ee6b3dff"),
    ]


def test_a_source_carries_its_location() -> None:
    batch = the_log(logs=[entry(logGroupArn=PLACE + "/aws/batch/job:*", logStreamPrefix="vams/")])
    assert batch == LogSource(
        kind=LogKind.REGISTERED,
        label="job",
        source_type=LogSourceType.BATCH,
        stage_name=None,
        log_group_name="/aws/batch/job",
        log_stream_name=None,
        log_stream_prefix="vams/",
        log_group_arn=PLACE + "/aws/batch/job",
        is_registered=True,
    )


# ---------------------------------------------------------------- invocation


@pytest.mark.parametrize(
    ("resource", "group_arn"),
    [
        ("convert", PLACE + "/aws/lambda/convert"),
        ("convert:live", PLACE + "/aws/lambda/convert"),
        ("210987654321:function:convert", PLACE + "/aws/lambda/convert"),
        (
            "arn:aws-us-gov:lambda:us-gov-west-1:210987654321:function:convert:7",
            "arn:aws-us-gov:logs:us-gov-west-1:210987654321:log-group:/aws/lambda/convert",
        ),
    ],
)
def test_an_invoked_function_logs_to_the_group_of_its_name(resource: str, group_arn: str) -> None:
    assert the_log(resource=resource).log_group_arn == group_arn


@pytest.mark.parametrize("execution_type", ["SQS", "EventBridge", "DeadlineCloud", "lambda"])
def test_only_a_lambda_step_has_an_invocation_log(execution_type: str) -> None:
    assert logs_of(execution_type=execution_type, resource="convert") == []


def test_a_step_of_no_type_is_a_lambda_step() -> None:
    assert the_log(execution_type="", resource="convert").kind is LogKind.INVOCATION


@pytest.mark.parametrize("resource", ["", "two words", "https://sqs.us-west-2.amazonaws.com/1/q", ":function:", "é"])
def test_what_names_no_function_has_no_invocation_log(resource: str) -> None:
    assert logs_of(resource=resource) == []


def test_a_region_stands_in_for_one_that_the_execution_does_not_tell() -> None:
    group = "arn:aws:logs::123456789012:log-group:workflows"
    assert logs_of(resource="convert", group=group) == []
    assert the_log(resource="convert", group=group, region="us-west-2").log_group_arn == PLACE + "/aws/lambda/convert"


@pytest.mark.parametrize("group", ["", "workflows", "arn:aws:logs", "arn:aws:logs:us-west-2::log-group:workflows"])
def test_what_has_no_place_is_left_out(group: str) -> None:
    logs = [entry(logGroupName="/aws/batch/job")]
    assert logs_of(resource="convert", logs=logs, subs=[job()], group=group, region="us-west-2") == []


def test_an_arn_needs_no_place_of_the_execution() -> None:
    arn = "arn:aws:lambda:us-west-2:123456789012:function:convert"
    sources = logs_of(resource=arn, logs=[entry(logGroupArn=PLACE + "/aws/batch/job")], group="")
    assert [source.log_group_name for source in sources] == ["/aws/lambda/convert", "/aws/batch/job"]


# ---------------------------------------------------------------- Deadline Cloud


def test_jobs_of_one_queue_share_one_source() -> None:
    source = the_log(execution_type="DeadlineCloud", subs=[job(), job(jobId="job-2", stageName="Render"), job()])
    assert source.log_group_name == f"/aws/deadline/{FARM}/{QUEUE}"
    assert source.log_stream_prefix == "session-"
    assert source.label == "Deadline Cloud job sessions"
    assert source.source_type is LogSourceType.DEADLINE_CLOUD
    assert source.stage_name == "Render"
    assert not source.is_registered


@pytest.mark.parametrize("key", ["farmId", "queueId", "jobId"])
def test_a_job_that_is_not_wholly_named_has_no_source(key: str) -> None:
    assert logs_of(subs=[job(**{key: ""})]) == []


def test_no_more_than_twenty_jobs_are_followed() -> None:
    jobs: list[object] = [{"resourceType": "batchJob", "jobId": "j"}, *(job(queueId=f"queue-{n}") for n in range(30))]
    assert [source.log_group_name for source in logs_of(subs=jobs)] == [
        f"/aws/deadline/{FARM}/queue-{n}" for n in range(20)
    ]


# ---------------------------------------------------------------- registered


@pytest.mark.parametrize(
    ("group", "source_type"),
    [
        ("/aws/lambda/convert", LogSourceType.LAMBDA),
        ("/aws/vendedlogs/VAMSstateMachine-x", LogSourceType.STATE_MACHINE),
        ("/x/VAMSStateMachine-x", LogSourceType.STATE_MACHINE),
        ("/aws/batch/job", LogSourceType.BATCH),
        ("/aws/batch/job/render", LogSourceType.BATCH),
        ("/aws/batch/jobs", LogSourceType.CUSTOM),
        ("/aws/vendedlogs/Pipelines/x", LogSourceType.CONTAINER),
        ("anything", LogSourceType.CUSTOM),
    ],
)
def test_a_source_type_that_was_not_given_is_told_from_the_group(group: str, source_type: LogSourceType) -> None:
    assert the_log(logs=[entry(logGroupName=group)]).source_type is source_type


@pytest.mark.parametrize(("given_type", "source_type"), [("ecs", LogSourceType.ECS), ("martian", LogSourceType.CUSTOM)])
def test_a_source_type_that_was_given_is_kept_if_known(given_type: str, source_type: LogSourceType) -> None:
    assert the_log(logs=[entry(logGroupName="/aws/lambda/x", sourceType=given_type)]).source_type is source_type


@pytest.mark.parametrize(
    ("group", "label"), [("/aws/batch/job", "job"), ("flat", "flat"), ("/ends/in/", "in"), ("/", "/")]
)
def test_a_label_that_was_not_given_is_the_last_part_of_the_group(group: str, label: str) -> None:
    assert the_log(logs=[entry(logGroupName=group)]).label == label


@pytest.mark.parametrize(
    "registered",
    [
        None,
        "text",
        7,
        [],
        {},
        entry(),
        entry(logGroupName="no spaces"),
        entry(logGroupName="no:colons"),
        entry(logGroupArn="arn:aws:s3:::bucket"),
        entry(logGroupArn=PLACE),
        entry(logGroupArn=PLACE + "group:log-stream:x"),
        {"logGroupName": 5},
        {"logGroupArn": ["arn"]},
    ],
)
def test_an_entry_that_names_no_log_group_is_passed_over(registered: object) -> None:
    assert logs_of(logs=[registered], subs=[registered]) == []


def test_a_name_helps_where_the_arn_is_none() -> None:
    assert the_log(logs=[entry(logGroupArn="nonsense", logGroupName="g")]).log_group_arn == PLACE + "g"


def test_an_old_entry_of_four_keys_is_complete() -> None:
    old = {"logGroupArn": PLACE + "g", "logGroupName": "", "logStreamName": "s", "logStreamPrefix": ""}
    source = the_log(logs=[old])
    assert (source.log_stream_name, source.stage_name, source.label) == ("s", None, "g")


# ---------------------------------------------------------------- each location once


def test_one_location_registered_in_three_ways_is_one_source() -> None:
    ways = [entry(logGroupArn=PLACE + "g:*"), entry(logGroupArn=PLACE + "g"), entry(logGroupName="g")]
    assert {the_log(logs=[way]).log_id for way in ways} == {the_log(logs=ways).log_id}


def test_a_stream_and_a_prefix_are_different_locations() -> None:
    ways = [
        entry(logGroupName="g"),
        entry(logGroupName="g", logStreamName="s"),
        entry(logGroupName="g", logStreamPrefix="s"),
    ]
    assert len({source.location_digest for source in logs_of(logs=ways)}) == 3


def test_later_mentions_fill_only_what_is_empty() -> None:
    source = the_log(
        logs=[
            entry(logGroupName="g", stageName="First"),
            entry(logGroupName="g", stageName="Second", label="Label"),
            entry(logGroupName="g", label="Other", sourceType="ecs"),
            entry(logGroupName="g", sourceType="batch"),
        ]
    )
    assert (source.stage_name, source.label, source.source_type) == ("First", "Label", LogSourceType.ECS)


def test_an_invocation_log_that_was_registered_too_keeps_its_kind_and_counts_as_registered() -> None:
    own = entry(logGroupName="/aws/lambda/convert", label="Converter", stageName="Convert")
    sources = logs_of(resource="convert", logs=[own, entry(logGroupName="g")])
    assert [(source.kind, source.is_registered) for source in sources] == [
        (LogKind.INVOCATION, True),
        (LogKind.REGISTERED, True),
    ]
    assert (sources[0].label, sources[0].stage_name) == ("Converter", "Convert")
    assert registered_logs(sources) == sources
    assert registered_logs(logs_of(resource="convert")) == []


def test_an_id_given_out_under_another_kind_still_finds_its_source() -> None:
    own = entry(logGroupName="/aws/lambda/convert")
    earlier = the_log(logs=[own])
    now = the_log(resource="convert", logs=[own])
    assert earlier.log_id != now.log_id
    assert earlier.location_digest == now.location_digest
    assert find_log([now], earlier.log_id) is now
    assert find_log([now], now.log_id) is now


@pytest.mark.parametrize("log_id", ["", "0" * 16, "251D2EFD9B757E7A", "\ud800"])
def test_an_unknown_id_finds_nothing(log_id: str) -> None:
    assert find_log(logs_of(resource="convert"), log_id) is None


VALUES = st.one_of(
    st.none(), st.integers(), st.text(), st.sampled_from([PLACE + "g", PLACE + "g:*", "g", "batch", FARM])
)
KEYS = st.sampled_from([*entry(), *job()])
ENTRIES = st.lists(st.one_of(st.none(), st.text(), st.dictionaries(KEYS, VALUES)), max_size=12)


@given(
    resource=st.one_of(st.text(), st.just("g")),
    logs=ENTRIES,
    subs=ENTRIES,
    group=st.one_of(st.text(), st.just(EXECUTION_GROUP)),
)
def test_whatever_is_stored_each_source_has_a_location_of_its_own_and_is_found_by_its_id(
    resource: str, logs: list[object], subs: list[object], group: str
) -> None:
    sources = logs_of(resource=resource, logs=logs, subs=subs, group=group)
    assert len({source.location_digest for source in sources}) == len(sources)
    for source in sources:
        assert find_log(sources, source.log_id) is source
        assert source.log_group_arn.endswith(":log-group:" + source.log_group_name)
        assert source.label


@given(ENTRIES)
def test_registering_everything_again_changes_nothing(logs: list[object]) -> None:
    assert logs_of(logs=logs + logs) == logs_of(logs=logs)
