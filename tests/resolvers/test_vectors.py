"""The sample run and the runs of every odd shape, as the graph shows them."""

from typing import Any

import pytest

from graph.demo import gaps, migrated, registrations, shapes, sizes
from graph.demo.samples import SAMPLE_EXECUTION_ID, SAMPLE_STEP_IDS
from tests.harness import Graph
from tests.resolvers.model import parents


async def execution(graph: Graph, execution_id: str, selection: str) -> Any:
    document = f"query($id: String!) {{ execution(executionId: $id) {{ {selection} }} }}"
    return (await graph.data(document, id=execution_id))["execution"]


async def step_chain(graph: Graph, execution_id: str, selection: str) -> Any:
    found = await execution(graph, execution_id, f"pipelineExecutions {{ nodes {{ {selection} }} }}")
    return found["pipelineExecutions"]["nodes"]


async def test_steps_come_in_chain_order(quick: Graph) -> None:
    steps = await step_chain(
        quick,
        SAMPLE_EXECUTION_ID,
        "pipelineId pipelineExecutionId position isEndState previous { position } next { position }",
    )
    assert [step["pipelineId"] for step in steps] == ["mesh-convert", "quality-check", "thumbnailer"]
    assert [step["pipelineExecutionId"] for step in steps] == list(SAMPLE_STEP_IDS)
    assert [step["position"] for step in steps] == [0, 1, 2]
    assert [step["isEndState"] for step in steps] == [False, False, True]
    assert [step["previous"] for step in steps] == [None, {"position": 0}, {"position": 1}]
    assert [step["next"] for step in steps] == [{"position": 1}, {"position": 2}, None]


async def test_inputs_are_shown_relative_to_their_asset(quick: Graph) -> None:
    found = await execution(
        quick,
        SAMPLE_EXECUTION_ID,
        "inputFiles { nodes { key path selection versionId location { bucket key versionId } } }",
    )
    assert found["inputFiles"]["nodes"] == [
        {
            "key": "/pump-station/models/pump.step",
            "path": "/models/pump.step",
            "selection": "FILE",
            "versionId": "3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrH",
            "location": {
                "bucket": "vams-assets-main",
                "key": "pump-station/models/pump.step",
                "versionId": "3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrH",
            },
        },
        {
            "key": "/vendor/valve-kit/cad/",
            "path": "/cad/",
            "selection": "FOLDER",
            "versionId": None,
            "location": {"bucket": "vams-assets-vendor", "key": "vendor/valve-kit/cad/", "versionId": None},
        },
    ]


async def test_inputs_may_be_those_of_one_asset(quick: Graph) -> None:
    document = 'inputFiles(asset: { databaseId: "plant-models", assetId: "ASSET" }) { totalCount nodes { path } }'
    for asset, paths in {"valve-kit": ["/cad/"], "valve": [], "valve-kit:": []}.items():
        found = await execution(quick, SAMPLE_EXECUTION_ID, document.replace("ASSET", asset))
        assert [node["path"] for node in found["inputFiles"]["nodes"]] == paths


async def test_outputs_are_joined_to_the_versions_they_became(quick: Graph) -> None:
    found = await execution(
        quick, SAMPLE_EXECUTION_ID, "outputFiles { nodes { relativePath fileType assetPath assetFileVersionId } }"
    )
    joined = {
        node["relativePath"]: (node["assetPath"], node["assetFileVersionId"])
        for node in found["outputFiles"]["nodes"]
        if node["assetFileVersionId"]
    }
    assert joined == {
        "converted/pump.glb": ("/qa-2026-07-14/converted/pump.glb", "9GqQwV1hYx2r"),
        "qa-2026-07-14/thumbs/pump.png": ("/qa-2026-07-14/thumbs/pump.png", "7HrRxW2iZy3s"),
    }
    assert len(found["outputFiles"]["nodes"]) == 5


async def test_logs_have_the_ids_that_the_rest_api_gives_them(quick: Graph) -> None:
    steps = await step_chain(
        quick, SAMPLE_EXECUTION_ID, "availableLogs { nodes { logId kind label sourceType stageName } }"
    )
    assert [[tuple(log.values()) for log in step["availableLogs"]["nodes"]] for step in steps] == [
        [
            ("549fcc9282fb36e2", "INVOCATION", "vams-vamsExecuteConv", "LAMBDA", None),
            ("91bc79f04fef629e", "REGISTERED", "Conversion state machine", "STATE_MACHINE", None),
            ("ecd4e27db623e44c", "REGISTERED", "Converter container", "BATCH", "ConvertBatch"),
        ],
        [
            ("fbdbbf7f6c387606", "INVOCATION", "vams-vamsExecuteQuality", "LAMBDA", None),
            ("633b4a30ee6b3dff", "REGISTERED", "Quality container", "BATCH", "QualityJob"),
        ],
        [("345a49856a453bbe", "INVOCATION", "vams-vamsExecuteThumb", "LAMBDA", None)],
    ]


async def test_a_log_is_found_by_its_id_within_its_step_alone(quick: Graph) -> None:
    own, other = await _registered(quick, 0), await _registered(quick, 1)
    assert own == {"label": "Converter container"}
    assert other is None


async def _registered(graph: Graph, place: int) -> Any:
    document = """
    query($id: String!, $log: String!) {
      pipelineExecution(pipelineExecutionId: $id) { registeredLog(logId: $log) { label } }
    }
    """
    data = await graph.data(document, id=SAMPLE_STEP_IDS[place], log="ecd4e27db623e44c")
    return data["pipelineExecution"]["registeredLog"]


async def test_one_pipeline_used_twice_stays_two_steps(quick: Graph) -> None:
    steps = await step_chain(
        quick,
        shapes.PIPELINE_TWICE_ID,
        "id pipelineId position inputConfiguration { rendered { content } } outputFiles { nodes { relativePath } }"
        " inputMetadata { nodes { metadata } }",
    )
    assert [step["pipelineId"] for step in steps] == ["decimate", "decimate", "thumbnailer"]
    assert len({step["id"] for step in steps}) == 3
    assert [step["inputConfiguration"]["rendered"]["content"] for step in steps[:2]] == [
        '{"ratio":0.5}',
        '{"ratio":0.25}',
    ]
    assert [step["outputFiles"]["nodes"][0]["relativePath"] for step in steps[:2]] == ["horse-2.glb", "horse-4.glb"]
    assert [step["inputMetadata"]["nodes"][0]["metadata"] for step in steps[:2]] == [
        {"period": "Han"},
        {"period": "Han", "from": "half"},
    ]


async def test_a_broken_chain_follows_the_plan(quick: Graph) -> None:
    steps = await step_chain(
        quick, gaps.BROKEN_CHAIN_ID, "pipelineId position previous { pipelineId } next { pipelineId }"
    )
    assert [step["pipelineId"] for step in steps] == ["mesh-convert", "quality-check", "thumbnailer"]
    assert [step["position"] for step in steps] == [0, 1, 2]
    assert steps[1]["previous"] == {"pipelineId": "mesh-convert"}
    assert steps[0]["next"] == {"pipelineId": "quality-check"}


async def test_migrated_runs_without_a_date_are_found_through_their_asset(quick: Graph) -> None:
    data = await quick.data(
        "query($ids: [ID!]!) { nodes(ids: $ids) { ... on Asset { migratedInputFiles { nodes {"
        " key path versionId location { key } execution { executionId startedAt isMigrated stepCount } } } } } }",
        ids=parents("Asset"),
    )
    files = [file for asset in data["nodes"] for file in asset["migratedInputFiles"]["nodes"]]
    found = {file["execution"]["executionId"]: file["execution"] for file in files}
    assert found.keys() == {
        migrated.MIGRATED_ID,
        migrated.MIGRATED_DATED_ID,
        migrated.MIGRATED_ESTIMATED_ID,
        migrated.MIGRATED_TWO_STEPS_ID,
    }
    assert all(run["isMigrated"] and run["stepCount"] is None for run in found.values())
    assert found[migrated.MIGRATED_ID]["startedAt"] is None
    assert all(file["versionId"] is None and file["location"] is None for file in files)


async def test_a_deleted_pipeline_lends_its_id_as_a_name(quick: Graph) -> None:
    assert await step_chain(quick, migrated.MIGRATED_ID, "name pipeline { id }") == [
        {"name": "DELETED", "pipeline": None}
    ]


@pytest.mark.parametrize(
    ("execution_id", "asset"),
    [
        (gaps.ARCHIVED_ASSET_ID, {"name": "Retired pump", "status": "ARCHIVED", "databaseId": "plant-models"}),
        (gaps.DELETED_ASSET_ID, None),
    ],
)
async def test_runs_outlive_their_assets(quick: Graph, execution_id: str, asset: Any) -> None:
    selection = "asset { name status databaseId }"
    found = await execution(
        quick, execution_id, f"inputFiles {{ nodes {{ assetId {selection} }} }} outputTarget {{ assetId {selection} }}"
    )
    assert found["inputFiles"]["nodes"][0]["asset"] == found["outputTarget"]["asset"] == asset
    assert found["outputTarget"]["assetId"] == found["inputFiles"]["nodes"][0]["assetId"]


async def test_a_run_may_leave_results_alone(quick: Graph) -> None:
    found = await execution(
        quick,
        shapes.RESULTS_ONLY_ID,
        "outputTarget { locationType databaseId assetId asset { id } } outputFiles { nodes { id } }"
        " outputResults { nodes { relativePath content { content isTruncated fullLocation { bucket key } } } }",
    )
    assert found["outputTarget"] == {"locationType": "NONE", "databaseId": None, "assetId": None, "asset": None}
    assert found["outputFiles"]["nodes"] == []
    results = found["outputResults"]["nodes"]
    assert [result["relativePath"] for result in results] == ["/inventory.csv", "/missing.txt", "/summary.md"]
    assert results[1]["content"]["content"] == "No drawing: gate valve DN80"
    assert results[1]["content"]["fullLocation"]["key"].endswith("results/missing.txt")


async def test_what_was_cut_says_so(quick: Graph) -> None:
    found = await execution(
        quick,
        sizes.CUT_SHORT_ID,
        "stepCount specifiedPipelinesTruncated metadataEnvelope { isTruncated fullLocation { key } }"
        " inputMetadata { nodes { metadataTruncated attributesTruncated } }"
        " outputResults { nodes { content { isTruncated } } }"
        " endPipelineExecution { resultLog { isTruncated } errorLog { isTruncated }"
        " inputConfiguration { rendered { isTruncated fullLocation { key } } templateTagsTruncated"
        " customTemplateOverride { isTruncated fullLocation { key } }"
        " effectiveSystemConfigTruncated templateOverridesTruncated } }",
    )
    assert found["stepCount"] is None
    assert found["specifiedPipelinesTruncated"] is True
    assert found["metadataEnvelope"]["isTruncated"] is True
    assert found["metadataEnvelope"]["fullLocation"]["key"].endswith("metadata.json")
    assert found["inputMetadata"]["nodes"] == [{"metadataTruncated": True, "attributesTruncated": True}]
    assert found["outputResults"]["nodes"] == [{"content": {"isTruncated": True}}]
    step = found["endPipelineExecution"]
    assert step["resultLog"] == step["errorLog"] == {"isTruncated": True}
    configuration = step["inputConfiguration"]
    assert configuration["rendered"]["fullLocation"]["key"].endswith("pipeline1/config.json")
    assert configuration["customTemplateOverride"] == {"isTruncated": True, "fullLocation": None}
    assert all(value is True for name, value in configuration.items() if name.endswith("Truncated"))


async def test_planted_secrets_are_never_shown(quick: Graph) -> None:
    found = await execution(
        quick,
        registrations.SECRETS_ID,
        "error log { content byteLength start: content(maxBytes: 120) }"
        " pipelineExecutions { nodes { resultLog { content } errorLog { content } } }",
    )
    assert "ConverterError: upload refused" in found["error"]
    assert found["log"]["content"].count("\n") == 4
    assert "x-amz-security-token" in found["pipelineExecutions"]["nodes"][0]["errorLog"]["content"]
    for secret in registrations.PLANTED_SECRETS:
        assert secret not in str(found)
        assert secret[:12] not in str(found)


async def test_an_error_is_that_of_a_run_that_failed(quick: Graph) -> None:
    data = await quick.data("{ executions(first: 100) { nodes { status error } } }")
    shown = {(node["status"], node["error"] is not None) for node in data["executions"]["nodes"]}
    assert {status for status, has_error in shown if has_error} <= {"FAILED", "ABORTED", "TIMED_OUT"}
    assert ("FAILED", True) in shown


async def test_unknown_words_are_unknown(quick: Graph) -> None:
    found = await execution(quick, gaps.UNKNOWN_WORDS_ID, "status triggerType")
    assert found == {"status": "UNKNOWN", "triggerType": "UNKNOWN"}


async def test_definitions_may_be_gone_or_put_away(quick: Graph) -> None:
    workflow = "workflowId workflow { isArchived isEnabled }"
    assert (await execution(quick, gaps.DELETED_WORKFLOW_ID, workflow))["workflow"] is None
    archived = await execution(quick, gaps.ARCHIVED_WORKFLOW_ID, workflow)
    assert archived["workflow"] == {"isArchived": True, "isEnabled": False}
    steps = await step_chain(quick, gaps.DISABLED_PIPELINE_ID, "name pipeline { isEnabled }")
    assert steps[0] == {"name": "Clash detection", "pipeline": {"isEnabled": False}}


@pytest.mark.parametrize("bytes_shown", [0, 1, 2, 3, 100, 390 * 1024 - 1, 390 * 1024, 500 * 1024])
async def test_a_text_is_cut_between_characters(quick: Graph, bytes_shown: int) -> None:
    found = await execution(
        quick,
        sizes.LARGE_LOG_ID,
        f"log {{ whole: content start: content(maxBytes: {bytes_shown}) byteLength isTruncated }}",
    )
    whole, start = found["log"]["whole"], found["log"]["start"]
    assert found["log"]["byteLength"] == len(whole.encode())
    assert whole.startswith(start)
    assert bytes_shown - 4 < len(start.encode()) <= bytes_shown or start == whole
    assert found["log"]["isTruncated"] is None


async def test_a_negative_number_of_bytes_costs_the_log_alone(quick: Graph) -> None:
    answer = await quick.ask(
        f'{{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ id log {{ content(maxBytes: -1) }} }} }}'
    )
    assert answer.data is not None
    assert answer.data["execution"]["log"] is None
    assert answer.data["execution"]["id"]
    assert answer.codes == ["BAD_USER_INPUT"]
