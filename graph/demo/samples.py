"""The sample run: three pipelines over one file and one folder, written to the asset the file came from."""

from decimal import Decimal

from graph.demo import world
from graph.demo.model import (
    ACCOUNT,
    REGION,
    Configuration,
    Metadata,
    OutputFile,
    OutputMetadata,
    OutputResult,
    Run,
    Selection,
    Step,
    StepLog,
)

SAMPLE_EXECUTION_ID = "9b1c0f5e7d6a4b3c8e2f1a0d9c8b7a65"
SAMPLE_STEP_IDS = (
    "1a2b3c4d5e6f47089a0b1c2d3e4f5061",
    "2b3c4d5e6f70418293a4b5c6d7e8f901",
    "3c4d5e6f708142939a4b5c6d7e8f9012",
)

_PUMP = Metadata(world.PLANT, world.PUMP_STATION, "/", {"site": "north"})
_DATABASE = Metadata(world.PLANT, None, "/", {"owner": "plant-eng"})

_CONVERT = Step(
    step_id=SAMPLE_STEP_IDS[0],
    pipeline=world.MESH_CONVERT,
    status="SUCCEEDED",
    started_at="2026-07-14T09:30:00Z",
    stopped_at="2026-07-14T09:36:40Z",
    configuration=Configuration(
        '{"format":"glb","tolerance":0.1}',
        "high-quality",
        (("tolerance", Decimal("0.1")),),
        overridden={"inputFileArity": "multi"},
    ),
    files=(
        OutputFile(
            "converted/pump.glb", 4_821_903, "model/gltf-binary", "kQ8w2vJxYfB1", asset_version_id="9GqQwV1hYx2r"
        ),
        OutputFile("converted/valve.glb", 1_203_377, "model/gltf-binary", "mN3c7hTzRpL0"),
    ),
    sub_executions=(
        {
            "resourceType": "stepFunctionsExecution",
            "stateMachineArn": f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:ConversionPipeline",
            "executionArn": f"arn:aws:states:{REGION}:{ACCOUNT}:execution:ConversionPipeline:7c0b1d2e-conv",
            "label": "Conversion state machine",
        },
    ),
    logs=(
        {
            "logGroupArn": f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:"
            "/aws/vendedlogs/VAMSstateMachine-ConversionPipeline",
            "logGroupName": "",
            "logStreamName": "",
            "logStreamPrefix": "",
            "stageName": "",
            "label": "Conversion state machine",
            "sourceType": "stateMachine",
        },
        {
            "logGroupArn": f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/aws/batch/job",
            "logGroupName": "/aws/batch/job",
            "logStreamName": "",
            "logStreamPrefix": "vams-convert-a1b2c3d4e5/default/",
            "stageName": "ConvertBatch",
            "label": "Converter container",
            "sourceType": "batch",
        },
    ),
)

_CHECK = Step(
    step_id=SAMPLE_STEP_IDS[1],
    pipeline=world.QUALITY_CHECK,
    status="SUCCEEDED",
    started_at="2026-07-14T09:36:44Z",
    stopped_at="2026-07-14T09:39:58Z",
    configuration=Configuration('{"checks":["watertight"]}', file_metadata=False),
    metadata=(_PUMP, _DATABASE),
    files=(OutputFile("reports/qa.json", 2048, "application/json", "Zx5d9bUeWqK4"),),
    sub_executions=(
        {
            "resourceType": "batchJob",
            "jobArn": f"arn:aws:batch:{REGION}:{ACCOUNT}:job/4d5e6f70-8192-4a3b-9c4d-5e6f708192a3",
            "jobId": "4d5e6f70-8192-4a3b-9c4d-5e6f708192a3",
            "stageName": "QualityJob",
        },
    ),
    logs=(
        {
            "logGroupArn": "",
            "logGroupName": "/aws/batch/job",
            "logStreamName": "vams-quality-f6e5d4c3b2/default/0f9e8d7c6b5a43218765fedcba987654",
            "logStreamPrefix": "",
            "stageName": "QualityJob",
            "label": "Quality container",
            "sourceType": "batch",
        },
    ),
)

_THUMBNAIL = Step(
    step_id=SAMPLE_STEP_IDS[2],
    pipeline=world.THUMBNAILER,
    status="SUCCEEDED",
    started_at="2026-07-14T09:40:02Z",
    stopped_at="2026-07-14T09:41:12Z",
    metadata=(),
    files=(
        OutputFile("thumbs/pump.png", 55_120, "image/png", "Pa6s1gHyVtC2", asset_version_id="7HrRxW2iZy3s"),
        OutputFile("models/pump.step.previewFile.png", 20_111, "image/png", file_type="preview"),
    ),
    output_metadata=(
        OutputMetadata("/converted/pump.glb", "triangleCount", "18204", "converted/pump.glb.metadata.json"),
        OutputMetadata("/", "qaScore", "0.97", "asset.metadata.json"),
    ),
    results=(OutputResult("/qa-summary.txt", "2 models converted, 0 defects"),),
    log=StepLog(
        "Workflow Execution Output Processing Complete",
        '{"type":"ExecutionStarted"}\nauthorization: <redacted>',
    ),
)

SAMPLE_RUN = Run(
    execution_id=SAMPLE_EXECUTION_ID,
    workflow=world.CONVERT_QA_THUMB,
    started_at="2026-07-14T09:30:00Z",
    stopped_at="2026-07-14T09:41:12Z",
    checked_at="2026-07-14T09:40:31Z",
    group_id="batch-2026-07",
    log=f'{{"id":"1","type":"ExecutionStarted","execution_arn":"arn:aws:states:{REGION}:{ACCOUNT}:execution:'
    f'vams-convert-qa-thumb:{SAMPLE_EXECUTION_ID}"}}\n{{"id":"5","type":"TaskSucceeded"}}',
    steps=(_CONVERT, _CHECK, _THUMBNAIL),
    inputs=(
        Selection(world.PUMP_STATION, "/models/pump.step", "3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrH"),
        Selection(world.VALVE_KIT, "/cad/"),
    ),
    metadata=(
        _PUMP,
        Metadata(world.PLANT, world.PUMP_STATION, "/models/pump.step", {"units": "mm"}, {"lod": "high"}),
        Metadata(world.PLANT, world.VALVE_KIT, "/", {"vendor": "ACME"}),
        Metadata(world.PLANT, world.VALVE_KIT, "/cad/"),
        Metadata(world.PLANT, world.SPEC_LIBRARY, "/", {"standard": "ISO-10303"}),
        _DATABASE,
    ),
    source_assets=(world.SPEC_LIBRARY,),
    output_asset=world.PUMP_STATION,
    output_path="/qa-2026-07-14/",
)
