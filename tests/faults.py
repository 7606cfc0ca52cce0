"""A DynamoDB client that misbehaves as the service may and the emulator does not.

``FaultyClient(client, names, plan)`` stands before a real client. A plan says which fault each call meets: ``in_order``
gives faults one after the other, ``seeded`` draws them and lets every request through in the end. A fault that does not
concern a call (a page of a Query, on a GetItem) lets it through.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError, EndpointConnectionError, ReadTimeoutError

from graph.aws import retries
from graph.aws.database import Client
from graph.tables.catalogue import Table

Request = dict[str, Any]
Answer = dict[str, Any]

# What the faults' own texts hold, as those of DynamoDB do, and what no client may see.
SECRETS = ("arn:aws:dynamodb", "123456789012", "vams-prod-table", "4e1b-a-key")
_MESSAGE = "arn:aws:dynamodb:eu-west-1:123456789012:table/vams-prod-table refused key 4e1b-a-key"


@dataclass(frozen=True)
class Call:
    """One call that may meet a fault; ``key`` are the attributes of a page's LastEvaluatedKey, sort key last."""

    operation: str
    request: Request
    key: tuple[str, ...]
    method: Callable[..., Answer]

    def answer(self, **changes: Any) -> Answer:
        """The true answer to the request, with changes to it; None takes a parameter away."""
        return self.method(**{name: value for name, value in (self.request | changes).items() if value is not None})


Fault = Callable[[Call], Answer]
Plan = Callable[[Request], Fault]


class FaultyClient:
    """A client whose calls meet the faults of a plan. Safe to use from many threads, as the reader does."""

    def __init__(self, client: Client, names: Mapping[Table, str], plan: Plan) -> None:
        self.requests: list[Request] = []
        self._client = client
        self._tables = {name: table for table, name in names.items()}
        self._plan = plan
        self._lock = Lock()

    def query(self, **request: Any) -> Answer:
        """Asks for one page of a partition."""
        table = self._tables[request["TableName"]]
        index = next((index for index in table.indexes if index.name == request.get("IndexName")), None)
        ends = () if index is None else (index.partition, *([index.sort] if index.sort else ()))
        key = tuple(dict.fromkeys(reversed((*table.key, *ends))))[::-1]  # the sort key may be of the table's key too
        return self._meet(Call("Query", request, key, self._client.query))

    def get_item(self, **request: Any) -> Answer:
        """Asks for one item."""
        return self._meet(Call("GetItem", request, (), self._client.get_item))

    def batch_get_item(self, **request: Any) -> Answer:
        """Asks for some items."""
        return self._meet(Call("BatchGetItem", request, (), self._client.batch_get_item))

    def _meet(self, call: Call) -> Answer:
        with self._lock:
            self.requests.append(call.request)
            fault = self._plan(call.request)
        return fault(call)


def in_order(*faults: Fault, then: Fault | None = None) -> Plan:
    """A plan that gives each fault to one call, in the order of the calls, and ``then`` to every call after them."""
    left = iter(faults)
    return lambda _request: next(left, then or truly)


def seeded(seed: int, faults: Iterable[Fault], *, share: float = 0.5, most: int = 3) -> Plan:
    """A plan that gives a share of the calls one of the faults.

    It depends on the requests and not on their order, so threads do not alter it. A request that is made again meets
    ``most`` faults at the most, so whoever tries often enough gets an answer.
    """
    drawn, asked = tuple(faults), Counter[str]()

    def plan(request: Request) -> Fault:
        text = repr(request)
        asked[text] += 1
        chance = random.Random(f"{seed} {asked[text]} {text}")  # noqa: S311
        return chance.choice(drawn) if asked[text] <= most and chance.random() < share else truly

    return plan


def truly(call: Call) -> Answer:
    """No fault."""
    return call.answer()


def page_of(rows: int) -> Fault:
    """A page of a Query ends early, after some rows, as one does at 1 MB; an empty one has a key to go on from too."""

    def fault(call: Call) -> Answer:
        if call.operation != "Query":
            return call.answer()
        if rows:
            return call.answer(Limit=min(rows, call.request.get("Limit", rows)))
        start = call.request.get("ExclusiveStartKey") or _before_the_first(call)
        return _page([], start) if start else call.answer()

    return fault


def keyed_page(call: Call) -> Answer:
    """A page of a Query that is filled to its limit has a key to go on from, although nothing may follow."""
    answer = call.answer()
    if call.operation != "Query" or answer["ScannedCount"] != call.request.get("Limit") or not answer["Count"]:
        return answer
    return {"LastEvaluatedKey": _keys(call)[-1]} | answer


def unprocessed(answered: int = 0) -> Fault:
    """A BatchGetItem answers some keys and leaves the others."""

    def fault(call: Call) -> Answer:
        if call.operation != "BatchGetItem":
            return call.answer()
        ((name, wanted),) = call.request["RequestItems"].items()
        taken, left = wanted["Keys"][:answered], wanted["Keys"][answered:]
        answer = call.answer(RequestItems={name: wanted | {"Keys": taken}}) if taken else {"Responses": {}}
        return answer | {"UnprocessedKeys": {name: wanted | {"Keys": left}} if left else {}}

    return fault


def shuffled(call: Call) -> Answer:
    """A BatchGetItem answers in an order of its own."""
    answer = call.answer()
    for items in answer.get("Responses", {}).values():
        random.Random(repr(items)).shuffle(items)  # noqa: S311
    return answer


def refused(code: str, status: int = 400) -> Fault:
    """The service answers with an error of a code: a throttle, a validation error, a fault of its own."""

    def fault(call: Call) -> Answer:
        error = {"Code": code, "Message": _MESSAGE}
        raise ClientError({"Error": error, "ResponseMetadata": {"HTTPStatusCode": status}}, call.operation)  # type: ignore[typeddict-item]

    return fault


def unanswered(error: type[BotoCoreError]) -> Fault:
    """No answer comes, for a reason that the client gives."""

    def fault(_call: Call) -> Answer:
        raise error(endpoint_url=_MESSAGE, error=_MESSAGE)

    return fault


throttled = refused("ProvisionedThroughputExceededException")
slowed_down = refused("ThrottlingException")
broken = refused("InternalServerError", 500)
unavailable = refused("ServiceUnavailable", 503)
denied = refused("AccessDeniedException")
invalid = refused("ValidationException")
unreachable = unanswered(EndpointConnectionError)
timed_out = unanswered(ReadTimeoutError)

# What passes when it is tried again, and what alters pages and batches without altering what is in them.
PASSING = (throttled, slowed_down, broken, unavailable, unreachable, timed_out)
RESHAPING = (page_of(0), page_of(1), page_of(2), keyed_page, unprocessed(0), unprocessed(1), shuffled)


def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let calls of AWS be retried at once."""
    monkeypatch.setattr(retries, "_FIRST_PAUSE", 0.0)


def _before_the_first(call: Call) -> dict[str, Any] | None:
    """A key just before the first row of a Query, in its direction; None where there is no such row."""
    first = next(iter(_keys(call, Limit=1)), None)
    if first is None:
        return None
    sort = call.key[-1]
    value = first[sort]["S"]
    before = value[:-1] if call.request["ScanIndexForward"] else value + "~"
    return first | {sort: {"S": before}} if before else None


def _keys(call: Call, **changes: Any) -> list[dict[str, Any]]:
    """The keys of the rows on a page, whatever of them the request projects."""
    if projection := call.request.get("ProjectionExpression"):
        names = call.request["ExpressionAttributeNames"]
        projected = {names[place] for place in projection.split(", ")}
        missing = {f"#k{place}": name for place, name in enumerate(call.key) if name not in projected}
        changes["ProjectionExpression"] = ", ".join((projection, *missing))
        changes["ExpressionAttributeNames"] = names | missing
    items = call.answer(Select=None, **changes)["Items"]
    return [{name: item[name] for name in call.key} for item in items]


def _page(items: list[Any], last: Mapping[str, Any]) -> Answer:
    return {"Items": items, "Count": len(items), "ScannedCount": len(items), "LastEvaluatedKey": last}
