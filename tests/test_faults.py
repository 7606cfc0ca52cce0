"""The faults do what they say, over the real emulator."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from graph.demo.database import EmbeddedDatabase
from graph.tables.catalogue import CONFIGURATIONS, EXECUTIONS, EXECUTIONS_BY_DATE
from tests.demo.reading import ITEMS
from tests.faults import (
    RESHAPING,
    Fault,
    FaultyClient,
    Plan,
    in_order,
    keyed_page,
    page_of,
    seeded,
    shuffled,
    throttled,
    truly,
    unprocessed,
)

NAMES = {"#p": "allListPartition"}
LATEST = sorted(
    (item["executionStartDate"] for item in ITEMS[EXECUTIONS] if "executionStartDate" in item), reverse=True
)


def query(client: FaultyClient, database: EmbeddedDatabase, *, forward: bool = False, **more: Any) -> dict[str, Any]:
    return client.query(
        TableName=database.names[EXECUTIONS],
        IndexName=EXECUTIONS_BY_DATE.name,
        KeyConditionExpression="#p = :p",
        ExpressionAttributeNames=NAMES,
        ExpressionAttributeValues={":p": {"S": "execution"}},
        ScanIndexForward=forward,
        **more,
    )


def dates(answer: dict[str, Any]) -> list[str]:
    return [item["executionStartDate"]["S"] for item in answer["Items"]]


def walk(client: FaultyClient, database: EmbeddedDatabase, *, forward: bool) -> list[str]:
    answer = query(client, database, forward=forward, Limit=7)
    found = dates(answer)
    while start := answer.get("LastEvaluatedKey"):
        answer = query(client, database, forward=forward, Limit=7, ExclusiveStartKey=start)
        found += dates(answer)
    return found


def faulty(database: EmbeddedDatabase, plan: Plan) -> FaultyClient:
    return FaultyClient(database.client, database.names, plan)


@pytest.mark.parametrize("forward", [True, False])
def test_an_empty_page_leads_on_to_the_first_row(database: EmbeddedDatabase, forward: bool) -> None:
    client = faulty(database, in_order(page_of(0)))
    empty = query(client, database, forward=forward)
    assert empty["Items"] == []
    following = query(client, database, forward=forward, Limit=1, ExclusiveStartKey=empty["LastEvaluatedKey"])
    assert dates(following) == [LATEST[-1] if forward else LATEST[0]]


def test_a_page_that_is_filled_has_a_key_though_nothing_follows(database: EmbeddedDatabase) -> None:
    client = faulty(database, in_order(keyed_page))
    full = query(client, database, Limit=len(LATEST))
    assert len(full["Items"]) == len(LATEST)
    rest = query(client, database, ExclusiveStartKey=full["LastEvaluatedKey"])
    assert rest["Items"] == []
    assert "LastEvaluatedKey" not in rest


def test_a_page_of_a_count_has_a_key_too(database: EmbeddedDatabase) -> None:
    answer = query(faulty(database, in_order(keyed_page)), database, Limit=3, Select="COUNT")
    assert answer["Count"] == 3
    assert answer["LastEvaluatedKey"]["executionStartDate"] == {"S": LATEST[2]}


@pytest.mark.parametrize("fault", RESHAPING)
@pytest.mark.parametrize("forward", [True, False])
def test_a_walk_through_reshaped_pages_loses_nothing(database: EmbeddedDatabase, fault: Fault, forward: bool) -> None:
    plan = seeded(5, [fault], share=0.4, most=1)
    assert walk(faulty(database, plan), database, forward=forward) == sorted(LATEST, reverse=not forward)


def test_a_batch_leaves_keys(database: EmbeddedDatabase) -> None:
    name = database.names[CONFIGURATIONS]
    keys = [{part: {"S": item[part]} for part in CONFIGURATIONS.key} for item in ITEMS[CONFIGURATIONS][:5]]
    answer = faulty(database, in_order(unprocessed(2))).batch_get_item(RequestItems={name: {"Keys": keys}})
    assert len(answer["Responses"][name]) == 2
    assert answer["UnprocessedKeys"][name]["Keys"] == keys[2:]


def test_a_batch_is_shuffled(database: EmbeddedDatabase) -> None:
    name = database.names[CONFIGURATIONS]
    keys = [{part: {"S": item[part]} for part in CONFIGURATIONS.key} for item in ITEMS[CONFIGURATIONS][:20]]
    client = faulty(database, in_order(truly, shuffled))
    straight, mixed = (
        [item["workflowExecutionId"]["S"] for item in answer["Responses"][name]]
        for answer in (client.batch_get_item(RequestItems={name: {"Keys": keys}}) for _ in range(2))
    )
    assert straight != mixed
    assert sorted(straight) == sorted(mixed)


def test_a_plan_in_order_ends_with_the_truth(database: EmbeddedDatabase) -> None:
    client = faulty(database, in_order(throttled))
    with pytest.raises(ClientError, match="ProvisionedThroughputExceeded"):
        query(client, database)
    assert query(client, database)["Count"] == len(LATEST)


def test_a_seeded_plan_is_the_same_each_time_and_gives_way() -> None:
    requests: list[dict[str, Any]] = [{"TableName": str(number % 10)} for number in range(60)]
    plans = [seeded(1, [throttled], most=3) for _ in range(2)]
    first, second = ([plan(request) for request in requests] for plan in plans)
    assert first == second
    assert throttled in first
    assert set(first[30:]) == {truly}
