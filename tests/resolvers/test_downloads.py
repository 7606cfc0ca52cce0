"""Links to files: who is given one, to what, and that it opens."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from graph.auth.policy import Policy
from graph.aws.clients import Clients
from graph.demo.model import BUCKETS, RUN_BUCKET, Asset, OutputFile, OutputResult, Run, Selection, Step, identifier
from graph.demo.rows import Row, asset_row, bucket_row, changed, workflow_row
from graph.demo.run_rows import run_rows
from graph.demo.s3 import EmbeddedS3, StoredObject
from graph.settings import Settings
from graph.tables import ids
from graph.tables.catalogue import ASSETS, CONFIGURATIONS, INPUTS, OUTPUT_FILES
from tests.harness import Answer, Graph
from tests.memory import MemoryDatabase
from tests.worlds import PIPELINE, WORKFLOW, asset, deny, everything_but, graph_for, items, run, viewer

READ, WRITTEN = asset("plant", "pump"), asset("plant", "target")
STEP = Step(
    step_id=identifier("step", "one"),
    pipeline=PIPELINE,
    status="SUCCEEDED",
    files=(
        OutputFile("kept.glb", 3, "model/gltf-binary", "run-1", asset_version_id="asset-1"),
        OutputFile("new.png", 3),
    ),
    results=(OutputResult("/report.txt", "text"),),
)
RUN = replace(
    run("one", steps=(STEP,), output_asset=WRITTEN),
    inputs=(Selection(READ, "/models/a.step", "v1"), Selection(READ, "/models/"), Selection(READ, "/")),
)
ASSETS_BUCKET = READ.bucket.name
ON = Settings(downloads=True, download_seconds=900, cursor_secrets=["a secret of the tests"])


def objects() -> dict[tuple[str, str, str], StoredObject]:
    """What lies in S3, by bucket, key and version."""
    results = next(row.attributes["s3Key"] for row in run_rows(RUN) if "resultsContent" in row.attributes)
    outputs = [row.attributes for row in run_rows(RUN) if row.table is OUTPUT_FILES]
    return {
        (ASSETS_BUCKET, "pump/models/a.step", "v1"): StoredObject(b"step", "application/step"),
        (ASSETS_BUCKET, "target/kept.glb", "asset-1"): StoredObject(b"glb of the asset", "model/gltf-binary"),
        (RUN_BUCKET, results, ""): StoredObject(b"text", "text/plain"),
        **{(RUN_BUCKET, row["s3Key"], row["s3VersionId"]): StoredObject(b"of the run", "image/png") for row in outputs},
    }


class Counted(EmbeddedS3):
    """Counts what is asked of it."""

    def __init__(self, held: Mapping[tuple[str, str, str], StoredObject]) -> None:
        super().__init__(lambda bucket, key, version: held.get((bucket, key, version or "")))
        self.heads = 0

    def head_object(self, **request: Any) -> Mapping[str, Any]:
        self.heads += 1
        return super().head_object(**request)


class Untouched:
    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


def world(*, of: Run = RUN, assets: tuple[Asset, ...] = (READ, WRITTEN), without: tuple[str, ...] = ()) -> list[Row]:
    rows = [*run_rows(of), workflow_row(WORKFLOW), *map(asset_row, assets)]
    return [*rows, *(bucket_row(bucket) for bucket in BUCKETS if bucket.name not in without)]


@contextmanager
def serving(
    rows: list[Row],
    policy: Policy | None = None,
    held: Mapping[tuple[str, str, str], StoredObject] | None = None,
    settings: Settings = ON,
) -> Iterator[tuple[Graph, Counted]]:
    s3 = Counted(objects() if held is None else held)
    clients = Clients(Untouched(), Untouched(), Untouched(), Untouched(), s3)
    database = MemoryDatabase(items(rows))
    with graph_for(database, {"user": policy or everything_but()}, settings, logs=clients) as graph:
        yield graph, s3


LINKS = """query ($id: String!, $seconds: Int! = 300) { execution(executionId: $id) {
    inputFiles { nodes { path viewerCanDownload download(expiresInSeconds: $seconds) {
        url fileName contentType size } } }
    outputFiles { nodes { relativePath viewerCanDownload download(expiresInSeconds: $seconds) {
        url fileName contentType size } } }
    outputResults { nodes { viewerCanDownload download(expiresInSeconds: $seconds) { url fileName } } } } }"""


async def ask(graph: Graph, of: Run = RUN, **variables: Any) -> Answer:
    return await graph.ask(LINKS, viewer=viewer("user"), id=of.execution_id, **variables)


def place(download: Mapping[str, Any] | None) -> str | None:
    """The path of a link, which names bucket and key, and its version."""
    if download is None:
        return None
    parts = urlsplit(download["url"])
    version = next((one for one in parts.query.split("&") if one.startswith("versionId=")), "")
    return f"{parts.path}?{version}"


def places(answer: Answer) -> dict[str, list[str | None]]:
    assert answer.data is not None
    found = answer.data["execution"]
    return {name: [place(node["download"]) for node in found[name]["nodes"]] for name in found}


def permits(answer: Answer) -> list[bool]:
    assert answer.data is not None
    return [node["viewerCanDownload"] for found in answer.data["execution"].values() for node in found["nodes"]]


async def test_links_lead_to_the_version_that_was_read_or_written() -> None:
    with serving(world()) as (graph, s3):
        answer = await ask(graph)
    assert answer.codes == []
    found = places(answer)
    assert found["inputFiles"] == [None, None, f"/{ASSETS_BUCKET}/pump/models/a.step?versionId=v1"]
    kept, new = found["outputFiles"]
    assert kept == f"/{ASSETS_BUCKET}/target/kept.glb?versionId=asset-1"
    assert new is not None
    assert new.startswith(f"/{RUN_BUCKET}/pipelines/")
    (result,) = found["outputResults"]
    assert result is not None
    assert result.startswith(f"/{RUN_BUCKET}/pipelines/")
    assert s3.heads == 4
    assert permits(answer) == [False, False, True, True, True, True]


async def test_a_link_tells_what_s3_holds() -> None:
    with serving(world()) as (graph, _):
        answer = await ask(graph)
    assert answer.data is not None
    (kept, _new) = answer.data["execution"]["outputFiles"]["nodes"]
    del kept["download"]["url"]
    assert kept["download"] == {"fileName": "kept.glb", "contentType": "model/gltf-binary", "size": 16}


@pytest.mark.parametrize(
    "denied",
    [
        deny("api", "route__path", "ends_with", "/download", "POST"),
        deny("asset", "assetName", "equals", "(pump|target)"),
        deny("api", "route__path", "equals", "/database/plant/assets/(pump|target)"),
    ],
    ids=["route", "asset", "route of the asset"],
)
async def test_whoever_may_not_download_in_vams_is_given_nothing(denied: dict[str, Any]) -> None:
    with serving(world(), everything_but(denied)) as (graph, s3):
        answer = await ask(graph)
    assert s3.heads == 0
    if answer.data is not None and answer.data["execution"] is not None:  # the run itself may depend on the asset
        assert {one for found in places(answer).values() for one in found} == {None}
        assert set(answer.codes) == {"FORBIDDEN"}
        assert not any(permits(answer))


async def test_an_asset_that_may_not_be_distributed_has_no_links_whatever_it_is() -> None:
    answers = []
    for marks in ({"isDistributable": False}, {"isDistributable": None}, {"isDistributable": "true"}):
        rows = [changed(row, marks) if row.table is ASSETS else row for row in world()]
        with serving(rows) as (graph, s3):
            answers.append(await ask(graph))
            assert s3.heads == 0
    without = [changed(row, {}, without=["isDistributable"]) if row.table is ASSETS else row for row in world()]
    with serving(without) as (graph, _):
        answers.append(await ask(graph))
    gone = [row for row in world() if row.table is not ASSETS]
    with serving(gone) as (graph, _):
        answers.append(await ask(graph))
    archived = tuple(replace(one, archived_at="2026-06-01T08:00:00.000000") for one in (READ, WRITTEN))
    with serving(world(assets=archived)) as (graph, _):
        answers.append(await ask(graph))
    assert len({json.dumps([answer.data, list(answer.errors)]) for answer in answers}) == 1
    assert set(answers[0].codes) == {"FORBIDDEN"}
    assert not any(permits(answers[0]))


async def test_bytes_in_the_area_of_a_run_are_let_out_as_its_asset_is() -> None:
    rows = [
        changed(row, {"isDistributable": False}) if row.attributes.get("assetId") == "target" else row
        for row in world()
    ]
    with serving(rows) as (graph, _):
        found = places(await ask(graph))
    assert found["outputFiles"] == [None, None]
    assert found["outputResults"] == [None]
    assert found["inputFiles"][2] is not None


async def test_what_a_run_without_an_asset_wrote_needs_its_details_alone() -> None:
    no_route = everything_but(deny("api", "route__path", "ends_with", "/download", "POST"))
    of = replace(RUN, output_asset=None)
    with serving(world(of=of), no_route) as (graph, _):
        found = places(await ask(graph, of))
    assert None not in found["outputResults"]
    assert found["inputFiles"] == [None, None, None]


@pytest.mark.parametrize(
    "marks", [{"outputLocationType": "elsewhere"}, {"outputLocationType": ""}, {"outputLocationType": "asset"}]
)
async def test_a_run_that_does_not_say_where_it_writes_to_lets_nothing_out(marks: dict[str, Any]) -> None:
    of = replace(RUN, output_asset=None)
    rows = [changed(row, marks) if row.table is CONFIGURATIONS else row for row in world(of=of)]
    with serving(rows) as (graph, s3):
        answer = await ask(graph, of)
    assert places(answer)["outputResults"] == [None]
    assert s3.heads == 1  # of the input


async def test_a_run_whose_configuration_is_gone_lets_nothing_out_that_it_wrote() -> None:
    rows = [row for row in world() if row.table is not CONFIGURATIONS]
    with serving(rows) as (graph, _):
        answer = await ask(graph)
    assert places(answer)["outputFiles"] == [None, None]
    assert places(answer)["outputResults"] == [None]


async def test_buckets_that_are_not_registered_are_not_linked_to_unless_named() -> None:
    rows = world(without=(RUN_BUCKET,))
    with serving(rows) as (graph, s3):
        answer = await ask(graph)
        assert places(answer)["outputResults"] == [None]
        assert answer.codes == ["FORBIDDEN"] * 2
        assert s3.heads == 2
    with serving(rows, settings=ON.model_copy(update={"download_buckets": [RUN_BUCKET]})) as (graph, _):
        assert None not in places(await ask(graph))["outputResults"]


async def test_a_file_outside_of_its_asset_is_none_of_it() -> None:
    moved = [
        changed(row, {"assetLocation": {"Key": "elsewhere/pump/"}})
        if row.attributes.get("assetName") == "pump"
        else row
        for row in world()
    ]
    with serving(moved) as (graph, _):
        answer = await ask(graph)
    assert places(answer)["inputFiles"] == [None, None, None]
    assert answer.codes == []


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({"metadata": {"vams-status": "archived"}}, []),
        ({"storage_class": "DEEP_ARCHIVE"}, []),
        ({"content_type": "application/x-sh"}, ["FORBIDDEN"]),
    ],
)
async def test_what_is_archived_or_refused_in_s3_has_no_link(changes: dict[str, Any], codes: list[str]) -> None:
    held = objects()
    key = (ASSETS_BUCKET, "pump/models/a.step", "v1")
    held[key] = replace(held[key], **changes)
    with serving(world(), held=held) as (graph, _):
        answer = await ask(graph)
    assert places(answer)["inputFiles"] == [None, None, None]
    assert answer.codes == codes


async def test_a_file_of_a_refused_name_has_no_link_and_s3_is_not_asked() -> None:
    of = replace(RUN, inputs=(Selection(READ, "/tool.exe", "v1"),))
    held = {(ASSETS_BUCKET, "pump/tool.exe", "v1"): StoredObject(b"MZ")}
    with serving(world(of=of), held=held) as (graph, s3):
        answer = await ask(graph, of)
    assert places(answer)["inputFiles"] == [None]
    assert "FORBIDDEN" in answer.codes
    assert s3.heads == 3  # of the outputs and the result, which are gone


async def test_what_is_gone_has_no_link_and_no_error() -> None:
    with serving(world(), held={}) as (graph, _):
        answer = await ask(graph)
    assert answer.codes == []
    assert {one for found in places(answer).values() for one in found} == {None}


@pytest.mark.parametrize("seconds", [29, 901, 3600, 0, -1, 2**31 - 1])
async def test_seconds_out_of_bounds_are_bad_input(seconds: int) -> None:
    with serving(world()) as (graph, s3):
        answer = await ask(graph, seconds=seconds)
    assert set(answer.codes) == {"BAD_USER_INPUT"}
    assert answer.errors[0]["message"] == "'expiresInSeconds' must be from 30 to 900."
    assert s3.heads == 0


async def test_without_the_setting_there_are_no_links() -> None:
    with serving(world(), settings=ON.model_copy(update={"downloads": False})) as (graph, s3):
        answer = await ask(graph)
    assert set(answer.codes) == {"FORBIDDEN"}
    assert not any(permits(answer))
    assert s3.heads == 0
    assert not any("S3AssetBuckets" in call for call in answer.cost)


async def test_an_operation_is_given_at_most_a_hundred_links() -> None:
    of = replace(RUN, inputs=tuple(Selection(READ, f"/{number:03}.glb", "v1") for number in range(101)))
    held = {(ASSETS_BUCKET, f"pump/{number:03}.glb", "v1"): StoredObject(b"x") for number in range(101)}
    document = """query ($ids: [ID!]!, $more: [ID!]!) {
        nodes(ids: $ids) { ... on InputFile { download { url } } } more: nodes(ids: $more) {
        ... on InputFile { download { url } } } }"""
    keys = [row.attributes["databaseId:assetId:inputAssetFileKey"] for row in run_rows(of) if row.table is INPUTS]
    wanted = [ids.encode("InputFile", of.execution_id, key) for key in keys]
    with serving(world(of=of), held=held) as (graph, s3):
        answer = await graph.ask(document, viewer=viewer("user"), ids=wanted[:100], more=wanted[100:])
    assert answer.codes == ["BAD_USER_INPUT"]
    assert s3.heads == 100


async def test_each_link_is_one_line_of_the_audit_and_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "graph")
    with serving(world()) as (graph, _):
        answer = await ask(graph)
    lines = [record.getMessage() for record in caplog.records if record.name == "graph.auth.audit"]
    assert [line.split()[0] for line in lines] == ["linked"] * 4
    told = [json.loads(line.removeprefix("linked ")) for line in lines]
    assert {
        "user_id": "user",
        "execution_id": RUN.execution_id,
        "file": f"{ASSETS_BUCKET}/pump/models/a.step",
        "version_id": "v1",
    } in told
    assert answer.data is not None
    assert "X-Amz-Signature" in json.dumps(answer.data)
    assert "X-Amz" not in caplog.text


async def test_the_rows_behind_links_are_read_together() -> None:
    plain = """query ($id: String!) { execution(executionId: $id) { inputFiles { nodes { path } }
        outputFiles { nodes { relativePath } } outputResults { nodes { relativePath } } } }"""
    with serving(world()) as (graph, _):
        without = await graph.ask(plain, viewer=viewer("user"), id=RUN.execution_id)
        answer = await ask(graph)
    more = {name: count - without.cost.get(name, 0) for name, count in answer.cost.items()}
    assert answer.tally.rounds == without.tally.rounds + 1
    assert {name: count for name, count in more.items() if count} == {
        "batch_get_item AssetStorageTable": 1,
        "get_item WorkflowExecutionConfigurationStorageTable": 1,
        "query AssetFileVersionHistoryStorageTable.WorkflowExecutionIdIndex": 1,
        "query S3AssetBucketsStorageTable.bucketNameGSI": 2,
    }
