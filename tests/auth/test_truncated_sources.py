"""Runs whose row could not hold all metadata sources: judged by their envelope in S3, or closed."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from graph.aws.clients import Clients
from graph.demo.model import Metadata
from graph.demo.rows import asset_row, changed, workflow_row
from graph.demo.run_rows import run_rows
from graph.demo.s3 import EmbeddedS3, StoredObject
from graph.files.envelopes import MOST_BYTES, MOST_ENVELOPES
from graph.tables.catalogue import CONFIGURATIONS, STEPS
from tests.harness import Answer, Graph
from tests.memory import MemoryDatabase
from tests.worlds import WORKFLOW, asset, deny, everything_but, graph_for, items, run, viewer

PUMP, SPEC, LOCKED = asset("plant", "pump"), asset("plant", "spec"), asset("secret", "locked")
RUN = replace(
    run("one", PUMP),
    source_assets=(SPEC,),
    metadata=(Metadata("plant", SPEC, "/", {"a": "b"}), Metadata("plant", None, "/", {"a": "b"})),
)
NO_LOCKED = everything_but(deny("asset", "assetName", "equals", "locked"))
NO_SECRET = everything_but(deny("database", "databaseId", "equals", "secret"))
DOCUMENT = "query ($id: String!) { execution(executionId: $id) { executionId } }"
OPEN = {
    "schemaVersion": 2,
    "assets": [{"databaseId": "plant", "assetId": "pump"}, {"databaseId": "plant", "assetId": "spec"}],
    "databases": [{"databaseId": "plant"}],
}


def with_asset(database_id: str, asset_id: str) -> dict[str, Any]:
    assets = [*OPEN["assets"], {"databaseId": database_id, "assetId": asset_id}]  # type: ignore[misc]
    return OPEN | {"assets": assets}


class Untouched:
    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


class Counted(EmbeddedS3):
    def __init__(self, body: bytes | Exception | None) -> None:
        super().__init__(self._find_one)
        self.asked: list[str] = []
        self._body = body

    def _find_one(self, bucket: str, key: str, version: str | None) -> StoredObject | None:
        self.asked.append(f"{bucket}/{key}")
        if isinstance(self._body, Exception):
            raise self._body
        return None if self._body is None else StoredObject(self._body)


@contextmanager
def serving(
    envelope: Any, marks: Mapping[str, Any] | None = None, without: Any = None
) -> Iterator[tuple[Graph, Counted]]:
    marks = (
        {"metadataSourceAssetsTruncated": True, "metadataSourceDatabasesTruncated": True} if marks is None else marks
    )
    rows = [
        changed(row, marks) if row.table is CONFIGURATIONS else row for row in run_rows(RUN) if row.table is not without
    ]
    body = json.dumps(envelope).encode() if isinstance(envelope, dict | list) else envelope
    s3 = Counted(body)
    database = MemoryDatabase(items(rows, [workflow_row(WORKFLOW)], map(asset_row, (PUMP, SPEC, LOCKED))))
    clients = Clients(Untouched(), Untouched(), Untouched(), Untouched(), s3)
    policies = {"no locked": NO_LOCKED, "no secret": NO_SECRET, "all": everything_but()}
    with graph_for(database, policies, logs=clients) as graph:
        yield graph, s3


async def ask(graph: Graph, user: str) -> Answer:
    return await graph.ask(DOCUMENT, viewer=viewer(user), id=RUN.execution_id)


def sees(answer: Answer) -> bool:
    assert answer.codes == []
    assert answer.data is not None
    return answer.data["execution"] is not None


@pytest.mark.parametrize("user", ["no locked", "no secret"])
async def test_an_envelope_that_names_nothing_hidden_opens_the_run(user: str) -> None:
    with serving(OPEN) as (graph, s3):
        assert sees(await ask(graph, user))
    assert s3.asked == [f"vams-run-bucket/pipelines/workflowExecutionInputs/{RUN.execution_id}/metadata.json"]


@pytest.mark.parametrize(
    ("envelope", "user"),
    [
        (with_asset("secret", "locked"), "no locked"),
        (with_asset("secret", "gone"), "no secret"),  # judged by its database
        (OPEN | {"databases": [{"databaseId": "plant"}, {"databaseId": "secret"}]}, "no secret"),
    ],
)
async def test_an_envelope_that_names_what_is_hidden_closes_it(envelope: dict[str, Any], user: str) -> None:
    with serving(envelope) as (graph, _):
        assert not sees(await ask(graph, user))
        assert sees(await ask(graph, "all"))


@pytest.mark.parametrize(
    "envelope",
    [
        OPEN | {"assets": [{"databaseId": "plant", "assetId": "pump"}]},  # lacks what the row holds
        OPEN | {"databases": []},
        OPEN | {"schemaVersion": 1},
        OPEN | {"assets": "plant:pump"},
        {},
        [],
        b"",
        b"{",
        None,
        ClientError({"Error": {"Code": "AccessDenied"}}, "GetObject"),
        json.dumps(OPEN).encode() + b" " * MOST_BYTES,
    ],
    ids=lambda envelope: str(envelope)[:40],
)
async def test_what_cannot_be_completed_stays_closed(envelope: Any) -> None:
    with serving(envelope) as (graph, _):
        assert not sees(await ask(graph, "no locked"))


async def test_a_row_that_holds_what_cannot_be_read_stays_closed_whatever_the_envelope_says() -> None:
    marks = {"metadataSourceAssetsTruncated": True, "metadataSourceAssets": "many"}
    with serving(OPEN, marks) as (graph, _):
        assert not sees(await ask(graph, "no locked"))
    with serving(OPEN, {"metadataSourceAssetsTruncated": "yes"}) as (graph, s3):
        assert not sees(await ask(graph, "no locked"))
        assert s3.asked == []


async def test_a_run_without_steps_names_no_bucket_and_stays_closed() -> None:
    with serving(OPEN, without=STEPS) as (graph, s3):
        assert not sees(await ask(graph, "no locked"))
        assert s3.asked == []


async def test_only_runs_whose_lists_were_cut_are_asked_for_and_only_where_it_matters() -> None:
    with serving(OPEN, {}) as (graph, s3):
        whole = await ask(graph, "no locked")
        assert sees(whole)
    with serving(OPEN) as (graph, cut):
        assert sees(await ask(graph, "all"))  # nothing is hidden from them
        assert cut.asked == []
        more = await ask(graph, "no locked")
    assert s3.asked == []
    assert more.tally.rounds == whole.tally.rounds + 1
    assert more.tally.calls == whole.tally.calls + 1
    assert len(cut.asked) == 1


async def test_one_operation_reads_a_bounded_number_of_envelopes() -> None:
    runs = [replace(run(f"run {number}", PUMP, minute=number), source_assets=(SPEC,)) for number in range(25)]
    rows = [
        changed(row, {"metadataSourceAssetsTruncated": True}) if row.table is CONFIGURATIONS else row
        for of in runs
        for row in run_rows(of)
    ]
    s3 = Counted(json.dumps(OPEN).encode())
    database = MemoryDatabase(items(rows, [workflow_row(WORKFLOW)], map(asset_row, (PUMP, SPEC, LOCKED))))
    clients = Clients(Untouched(), Untouched(), Untouched(), Untouched(), s3)
    with graph_for(database, {"user": NO_LOCKED}, logs=clients) as graph:
        answer = await graph.ask("{ executions(first: 25) { nodes { executionId } } }", viewer=viewer("user"))
    assert answer.data is not None
    assert len(answer.data["executions"]["nodes"]) == len(s3.asked) == MOST_ENVELOPES
