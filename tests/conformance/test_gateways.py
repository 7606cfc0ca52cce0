"""Questions to a supergraph of the graph and its neighbour, through the gateways that people run."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from graph.demo.permissions import ADMIN, API_KEY_OF, BOB, ROLES_OF
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.schema import federated_sdl
from graph.tables.catalogue import EXECUTIONS
from tests.conformance.conftest import FEDERATION_SECRET, HERE, Node
from tests.demo.reading import ITEMS, chain

STEP_ID = chain(SAMPLE_EXECUTION_ID)[0]["pipelineExecutionId"]
OUT_OF_BOBS_SIGHT = next(
    row["workflowExecutionId"] for row in ITEMS[EXECUTIONS] if row["workflowDatabaseId"] == "city-scans"
)
TICKETS = [
    {"number": 1, "executionId": SAMPLE_EXECUTION_ID, "stepId": STEP_ID},
    {"number": 2, "executionId": "no such execution"},
    {"number": 3, "executionId": OUT_OF_BOBS_SIGHT},
]


@pytest.fixture(scope="module")
def gateways(node: Node, url: str) -> Iterator[dict[str, str]]:
    """Where Apollo's and Hive's gateway listen."""
    given = {"url": url, "sdl": federated_sdl(with_node=True), "secret": FEDERATION_SECRET, "tickets": TICKETS}
    command = [node.executable, "gateways.mjs"]
    with subprocess.Popen(command, cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(given) + "\n")
        process.stdin.flush()
        yield json.loads(process.stdout.readline())
        process.stdin.close()


@pytest.fixture(params=["apollo", "hive"])
def gateway(gateways: dict[str, str], request: pytest.FixtureRequest) -> str:
    return gateways[request.param]


def ask(gateway: str, query: str, user: str = ADMIN) -> dict[str, Any]:
    """An answer, its errors told by where they stand."""
    headers = {"Authorization": API_KEY_OF[user]}
    answer = httpx.post(gateway, json={"query": query}, headers=headers, timeout=30).json()
    return {"data": answer["data"], "errors": [error["path"] for error in answer.get("errors", ())]}


def data(gateway: str, query: str, user: str = ADMIN) -> dict[str, Any]:
    """The data of an answer without errors."""
    answer = ask(gateway, query, user)
    assert answer["errors"] == []
    found: dict[str, Any] = answer["data"]
    return found


def test_the_graph_leads_to_what_the_neighbour_knows(gateway: str) -> None:
    asked = f"""{{
      execution(executionId: "{SAMPLE_EXECUTION_ID}") {{
        status
        tickets {{ number }}
        workflow {{ name owner }}
        inputFiles(first: 1) {{ nodes {{ asset {{ name thumbnailUrl }} }} }}
      }}
    }}"""
    pump_station = {"name": "Pump station", "thumbnailUrl": "https://thumbnails.example/plant-models/pump-station.png"}
    assert data(gateway, asked)["execution"] == {
        "status": "SUCCEEDED",
        "tickets": [{"number": 1}],
        "workflow": {"name": "Convert, check and thumbnail", "owner": "The owner of convert-qa-thumb"},
        "inputFiles": {"nodes": [{"asset": pump_station}]},
    }


def test_the_neighbour_leads_to_what_the_graph_knows(gateway: str) -> None:
    asked = "{ ticket(number: 1) { execution { status workflow { name } } step { name position } } }"
    assert data(gateway, asked)["ticket"] == {
        "execution": {"status": "SUCCEEDED", "workflow": {"name": "Convert, check and thumbnail"}},
        "step": {"name": "Mesh converter", "position": 0},
    }


def test_there_and_back_again(gateway: str) -> None:
    asked = "{ ticket(number: 1) { execution { triggerType workflow { name owner } tickets { number } } } }"
    assert data(gateway, asked)["ticket"]["execution"] == {
        "triggerType": "MANUAL",
        "workflow": {"name": "Convert, check and thumbnail", "owner": "The owner of convert-qa-thumb"},
        "tickets": [{"number": 1}],
    }


@pytest.mark.parametrize("user", [ADMIN, BOB])
def test_one_value_has_parts_of_both_and_each_is_told_who_asks(gateway: str, user: str) -> None:
    assert data(gateway, "{ viewer { userId roles displayName } }", user)["viewer"] == {
        "userId": user,
        "roles": list(ROLES_OF[user]),
        "displayName": f"Whoever has the key {API_KEY_OF[user]}",
    }


@pytest.mark.parametrize(("user", "seen"), [(ADMIN, True), (BOB, False)])
def test_what_may_not_be_seen_is_null_in_its_place(gateways: dict[str, str], user: str, seen: bool) -> None:
    """As is what does not exist. For both alike Hive's gateway adds an error of its own."""
    found = [True, False, seen]
    answers = {name: ask(gateway, "{ tickets { execution { status } } }", user) for name, gateway in gateways.items()}
    for answer in answers.values():
        assert [ticket["execution"] is not None for ticket in answer["data"]["tickets"]] == found
    assert answers["apollo"]["errors"] == []
    assert answers["hive"]["errors"] == [["tickets", i, "execution", "status"] for i in range(3) if not found[i]]


def test_an_object_is_found_again_by_its_id(gateway: str) -> None:
    execution = data(gateway, f'{{ execution(executionId: "{SAMPLE_EXECUTION_ID}") {{ id }} }}')["execution"]
    asked = f'{{ node(id: "{execution["id"]}") {{ __typename ... on Execution {{ status tickets {{ number }} }} }} }}'
    assert data(gateway, asked)["node"] == {
        "__typename": "Execution",
        "status": "SUCCEEDED",
        "tickets": [{"number": 1}],
    }


@pytest.mark.parametrize(("user", "outcome"), [(ADMIN, "ALREADY_TERMINAL"), (BOB, None)])
def test_a_mutation_goes_through_and_leads_on(gateway: str, user: str, outcome: str | None) -> None:
    asked = f"""mutation {{
      abortExecution(input: {{ executionId: "{SAMPLE_EXECUTION_ID}" }}) {{
        outcome
        execution {{ status tickets {{ number }} }}
      }}
    }}"""
    answer = ask(gateway, asked, user)
    if outcome is None:  # he sees the run, and may not abort it
        assert answer == {"data": {"abortExecution": None}, "errors": [["abortExecution"]]}
        return
    run = {"status": "SUCCEEDED", "tickets": [{"number": 1}]}
    assert answer == {"data": {"abortExecution": {"outcome": outcome, "execution": run}}, "errors": []}
