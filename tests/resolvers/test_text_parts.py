"""Texts that a row cut, read in parts from S3."""

import json
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from graph.aws.clients import Clients
from graph.demo.model import Configuration, Step, StepLog, identifier
from graph.demo.rows import changed, workflow_row
from graph.demo.run_rows import run_rows
from graph.demo.s3 import EmbeddedS3, StoredObject
from graph.logs.redaction import redact
from tests.harness import Graph
from tests.memory import MemoryDatabase
from tests.worlds import PIPELINE, WORKFLOW, everything_but, graph_for, items, run, viewer

DOCUMENT = """query ($id: String!, $from: BigInt! = 0, $most: Int! = 65536) { execution(executionId: $id) {
    pipelineExecutions { nodes { inputConfiguration { rendered {
        part(fromByte: $from, maxBytes: $most) { content fromByte toByte totalBytes } } } } } } }"""


class Untouched:
    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


class Counted(EmbeddedS3):
    def __init__(self, body: bytes | None) -> None:
        super().__init__(lambda bucket, key, version: StoredObject(body) if body is not None else None)
        self.asked: list[str] = []

    def get_object(self, **request: Any) -> Mapping[str, Any]:
        self.asked.append(request["Range"])
        return super().get_object(**request)


STEP = Step(step_id=identifier("step", "one"), pipeline=PIPELINE, configuration=Configuration("{"))
RUN = run("one", steps=(STEP,))


@contextmanager
def serving(body: bytes | None, *, row: str = "{", truncated: bool = True) -> Iterator[tuple[Graph, Counted]]:
    of = replace(RUN, steps=(replace(STEP, configuration=Configuration(row)),))
    rows = [
        changed(one, {"inputConfigurationTruncated": truncated}) if "inputConfiguration" in one.attributes else one
        for one in (*run_rows(of), workflow_row(WORKFLOW))
    ]
    s3 = Counted(body)
    clients = Clients(Untouched(), Untouched(), Untouched(), Untouched(), s3)
    with graph_for(MemoryDatabase(items(rows)), {"user": everything_but()}, logs=clients) as graph:
        yield graph, s3


async def part(graph: Graph, **variables: Any) -> dict[str, Any]:
    answer = await graph.ask(DOCUMENT, viewer=viewer("user"), id=RUN.execution_id, **variables)
    assert answer.codes == []
    assert answer.data is not None
    (step,) = answer.data["execution"]["pipelineExecutions"]["nodes"]
    found: dict[str, Any] = step["inputConfiguration"]["rendered"]["part"]
    return found


async def walk(graph: Graph, most: int, start: int = 0) -> list[dict[str, Any]]:
    parts = [await part(graph, **{"from": start, "most": most})]
    while parts[-1]["toByte"] < parts[-1]["totalBytes"]:
        parts.append(await part(graph, **{"from": parts[-1]["toByte"], "most": most}))
    return parts


def secret(number: int) -> str:
    return f"vams_{identifier('secret', str(number))}"


def text_with(secrets: Mapping[int, str], length: int) -> bytes:
    """A JSON text of many letters, with secrets at some offsets."""
    text = bytearray()
    filler = random.Random(7)  # noqa: S311 - nothing secret
    for at, held in sorted(secrets.items()):
        while len(text) < at - len(held) // 2:
            text += filler.choice(("größe ", "名前 ", "🙂 ", "a1b2 ", ", ")).encode()
        text += b' "' + held.encode() + b'" '
    while len(text) < length:
        text += filler.choice(("Maß ", "x ")).encode()
    return bytes(text)


async def test_a_configuration_of_five_megabytes_is_read_to_its_last_byte_without_its_secrets() -> None:
    most = 262_144
    borders = [number * most // 2 for number in range(1, 41)]
    body = text_with({at: secret(number) for number, at in enumerate(borders)}, 5 * 1024 * 1024)
    with serving(body) as (graph, s3):
        parts = await walk(graph, most)
    shown = "".join(one["content"] for one in parts)
    assert shown == redact(body.decode())
    assert shown.count("<redacted>") == 40
    assert not any(secret(number) in shown for number in range(40))
    assert [one["fromByte"] for one in parts[1:]] == [one["toByte"] for one in parts[:-1]]
    assert {one["totalBytes"] for one in parts} == {len(body)} == {parts[-1]["toByte"]}
    assert len(s3.asked) == len(parts)


async def test_secrets_that_lie_anywhere_across_a_border_are_in_no_part() -> None:
    """Forms and names, cut at each of their bytes: what is left of one must not be shown by the next part."""
    held = ['"password": "hunter2 and more"', secret(1), "Authorization: Bearer abcdefghijklmnop.q"]
    body = (" x" * 500).join(["", *held, ""]).encode()
    whole = redact(body.decode())
    with serving(body) as (graph, _):
        for start in range(990, len(body) - 990, 7):
            first = await part(graph, **{"from": 0, "most": max(4, start)})
            rest = await part(graph, **{"from": first["toByte"], "most": 262_144})
            assert first["content"] + rest["content"] == whole


@pytest.mark.parametrize("most", [4, 5, 7, 64])
async def test_walking_gives_every_byte_once_whatever_the_characters_are(most: int) -> None:
    body = "aé名🙂\r\n\x00z".encode() * 12
    with serving(body) as (graph, _):
        parts = await walk(graph, most)
        assert "".join(one["content"] for one in parts).encode() == body
        for start in range(len(body)):
            one = await part(graph, **{"from": start, "most": 8})
            assert one["fromByte"] <= start
            assert body[one["fromByte"] : one["toByte"]].decode() == one["content"]


async def test_each_read_takes_64_kib_more_on_both_sides() -> None:
    with serving(b"x" * 1_000_000) as (graph, s3):
        await part(graph, **{"from": 200_000, "most": 1_000})
        await part(graph)
    assert s3.asked == [f"bytes={200_000 - 65_536}-{201_000 + 65_536 - 1}", f"bytes=0-{2 * 65_536 - 1}"]


async def test_the_end_is_an_empty_part_and_beyond_it_is_bad_input() -> None:
    with serving(b"x" * 10) as (graph, _):
        assert await part(graph, **{"from": 10}) == {"content": "", "fromByte": 10, "toByte": 10, "totalBytes": 10}
        for beyond in (11, 66_000, 1_000_000, 2**53 - 1):
            answer = await graph.ask(DOCUMENT, viewer=viewer("user"), id=RUN.execution_id, **{"from": beyond})
            assert answer.codes == ["BAD_USER_INPUT"]


async def test_an_empty_object_is_one_empty_part() -> None:
    with serving(b"") as (graph, _):
        assert await part(graph) == {"content": "", "fromByte": 0, "toByte": 0, "totalBytes": 0}


@pytest.mark.parametrize("variables", [{"from": -1}, {"most": 3}, {"most": 262_145}, {"most": 0}, {"most": -5}])
async def test_offsets_and_lengths_out_of_bounds_are_bad_input(variables: dict[str, Any]) -> None:
    with serving(b"x") as (graph, s3):
        answer = await graph.ask(DOCUMENT, viewer=viewer("user"), id=RUN.execution_id, **variables)
    assert answer.codes == ["BAD_USER_INPUT"]
    assert s3.asked == []


async def test_what_is_gone_from_s3_is_null() -> None:
    with serving(None) as (graph, _):
        assert await part(graph) is None


async def test_bytes_that_are_no_text_are_shown_as_that_and_read_on() -> None:
    body = b"\x80" * 20 + b"ok" + b"\xff\xfe" * 9
    with serving(body) as (graph, _):
        parts = await walk(graph, 8)
    assert parts[-1]["toByte"] == len(body)
    assert "ok" in "".join(one["content"] for one in parts)


async def test_a_row_that_holds_all_is_read_in_parts_without_s3() -> None:
    row = json.dumps({"größe": 1, "key": secret(1)}, ensure_ascii=False)
    with serving(None, row=row, truncated=False) as (graph, s3):
        parts = await walk(graph, 9)
    assert "".join(one["content"] for one in parts) == redact(row)
    assert parts[0]["totalBytes"] == len(row.encode())
    assert s3.asked == []


async def test_logs_are_counted_by_what_is_stored() -> None:
    text = f"first {secret(1)} last"
    of = run("two", steps=(replace(STEP, log=StepLog(text, "")),))
    document = """query ($id: String!) { execution(executionId: $id) { pipelineExecutions { nodes { resultLog {
        content part(fromByte: 6) { content fromByte totalBytes } } } } } }"""
    clients = Clients(Untouched(), Untouched(), Untouched(), Untouched(), None)
    database = MemoryDatabase(items(run_rows(of), [workflow_row(WORKFLOW)]))
    with graph_for(database, {"user": everything_but()}, logs=clients) as graph:
        answer = await graph.ask(document, viewer=viewer("user"), id=of.execution_id)
    assert answer.data is not None
    (step,) = answer.data["execution"]["pipelineExecutions"]["nodes"]
    assert step["resultLog"] == {
        "content": "first <redacted> last",
        "part": {"content": "<redacted> last", "fromByte": 6, "totalBytes": len(text)},
    }


async def test_an_operation_reads_a_bounded_number_of_bytes() -> None:
    parts = " ".join(f"p{number}: part(fromByte: 70000, maxBytes: 262144) {{ toByte }}" for number in range(50))
    document = DOCUMENT.replace("part(fromByte: $from, maxBytes: $most) { content fromByte toByte totalBytes }", parts)
    document = document.replace(", $from: BigInt! = 0, $most: Int! = 65536", "")
    with serving(b"x" * 1_000_000) as (graph, s3):
        answer = await graph.ask(document, viewer=viewer("user"), id=RUN.execution_id)
    assert set(answer.codes) == {"BAD_USER_INPUT"}
    assert len(s3.asked) == 16 * 1024 * 1024 // (262_144 + 2 * 65_536)
