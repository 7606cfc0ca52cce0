"""Storing what steps register: appended under a condition, and tried again until it holds."""

import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from botocore.exceptions import ClientError

from graph.actions.registering import (
    Changes,
    Dropped,
    NotRegistered,
    Reason,
    Registration,
    apply,
    read_event,
)
from graph.tables import decode
from graph.tables.builders.sizes import ELEMENT_BYTES, ITEM_LIMIT, item_size, value_size
from graph.tables.catalogue import STEPS
from graph.tables.queries import Names
from graph.tables.reader import typed_key

SUB_EXECUTIONS, LOGS = "registeredSubExecutions", "registeredLogs"

_SECONDS = 50.0  # of a minute that an invocation may take
_LONGEST_PAUSE = 0.5
_NAMES_BYTES = 64  # of the two attributes, where a row has neither

log = logging.getLogger(__name__)


class StepsClient(Protocol):
    """The two calls of a boto3 DynamoDB client that are used."""

    @property
    def query(self) -> Callable[..., Any]:
        """Gives one page of a partition."""

    @property
    def update_item(self) -> Callable[..., Any]:
        """Changes attributes of one item."""


class Contended(Exception):
    """Others changed the step again and again; the event should be delivered once more."""


@dataclass(frozen=True, slots=True)
class Registered:
    """What became of an event: how many entries were stored, how many fields completed, and what was dropped."""

    pipeline_execution_id: str
    sub_executions: int = 0
    logs: int = 0
    filled: int = 0
    dropped: Sequence[Dropped] = ()

    def told(self) -> dict[str, Any]:
        """Return it as JSON tells it."""
        return {
            "pipelineExecutionId": self.pipeline_execution_id,
            "subExecutions": self.sub_executions,
            "logs": self.logs,
            "filled": self.filled,
            "dropped": [{"place": one.place, "reason": one.reason.value} for one in self.dropped],
        }


class Registrar:
    """Stores registrations. One per process; safe to use in many at once."""

    def __init__(
        self,
        client: StepsClient,
        table_name: str,
        *,
        seconds: float = _SECONDS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client, self._table_name = client, table_name
        self._seconds, self._sleep = seconds, sleep

    def register(self, event: object) -> Registered:
        """Store what an event registers.

        Raises:
            NotRegistered: it registers nothing, or nothing with a step that there is.
            Contended: the condition went on failing for some seconds.
            ClientError, BotoCoreError: of botocore, when the table cannot be read or written.
        """
        registration = read_event(event)
        ends_at = time.monotonic() + self._seconds
        done = Registered(registration.pipeline_execution_id, dropped=registration.dropped)
        attempt = 0
        while True:
            key, item = self._step(registration.pipeline_execution_id)
            changes = _fitting(_next(registration, item), item)
            if changes:
                if self._write(key, item, changes):
                    done = _with(done, changes)
                    attempt = 0
                    continue
                if time.monotonic() >= ends_at:
                    raise Contended
                attempt += 1
                self._sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.01 * 2**attempt)))  # noqa: S311
                continue
            done = replace(done, dropped=(*done.dropped, *changes.dropped))
            for one in done.dropped:
                log.warning("a registration of step %s lost %s: %s", key[0], one.place, one.reason.value)
            return done

    def _step(self, step_id: str) -> tuple[tuple[str, ...], Mapping[str, Any]]:
        answer = self._client.query(
            TableName=self._table_name,
            KeyConditionExpression="#id = :id",
            ExpressionAttributeNames={"#id": STEPS.partition},
            ExpressionAttributeValues={":id": {"S": step_id}},
            ConsistentRead=True,
            Limit=1,
        )
        if not answer["Items"]:
            raise NotRegistered(Reason.UNKNOWN_STEP)
        item = decode.item(answer["Items"][0])
        if any(not _is_list_of_maps(item.get(name, [])) for name in (SUB_EXECUTIONS, LOGS)):
            raise NotRegistered(Reason.MALFORMED_STEP)
        return tuple(item[name] for name in STEPS.key), item

    def _write(self, key: tuple[str, ...], item: Mapping[str, Any], changes: Changes) -> bool:
        request = update_request(self._table_name, key, item, changes)
        try:
            self._client.update_item(**request)
        except ClientError as fault:
            if fault.response.get("Error", {}).get("Code") == "ConditionalCheckFailedException":
                return False
            raise
        return True


def update_request(table_name: str, key: tuple[str, ...], item: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
    """Return the parameters of an UpdateItem call that changes the lists of a step, if they are as in its item.

    Entries are never moved or removed, so a list of the same length is the same list, but for empty fields.
    """
    names, values = Names(), dict[str, Any]()
    sets, conditions = list[str](), [f"attribute_exists({names[STEPS.partition]})"]
    from boto3.dynamodb.types import TypeSerializer  # which loads all of boto3

    serialize = TypeSerializer().serialize
    for attribute, entries in ((SUB_EXECUTIONS, changes.sub_executions), (LOGS, changes.logs)):
        if not entries:
            continue
        name, value = names[attribute], f":v{len(values)}"
        values[value] = serialize([dict(entry) for entry in entries])
        if attribute in item:
            length = f":v{len(values)}"
            values[length] = {"N": str(len(item[attribute]))}
            sets.append(f"{name} = list_append({name}, {value})")
            conditions.append(f"size({name}) = {length}")
        else:
            sets.append(f"{name} = {value}")
            conditions.append(f"attribute_not_exists({name})")
    for (place, field), text in changes.filled.items():
        path, value, empty = f"{names[LOGS]}[{place}].{names[field]}", f":v{len(values)}", ":empty"
        values |= {value: {"S": text}, empty: {"S": ""}}
        sets.append(f"{path} = {value}")
        conditions.append(f"(attribute_not_exists({path}) OR {path} = {empty})")
    return {
        "TableName": table_name,
        "Key": typed_key(STEPS, key),
        "UpdateExpression": f"SET {', '.join(sets)}",
        "ConditionExpression": " AND ".join(conditions),
        "ExpressionAttributeNames": names.used,
        "ExpressionAttributeValues": values,
    }


def _next(registration: Registration, item: Mapping[str, Any]) -> Changes:
    """Return what is still to be changed; fields of stored entries come last, since one write takes not both."""
    changes = apply(registration, item.get(SUB_EXECUTIONS, ()), item.get(LOGS, ()))
    return replace(changes, filled={}) if changes.sub_executions or changes.logs else changes


def _fitting(changes: Changes, item: Mapping[str, Any]) -> Changes:
    """Return the changes that the item has room for; those that it has not are dropped."""
    room = ITEM_LIMIT - item_size(item) - _NAMES_BYTES
    kept: dict[str, list[Mapping[str, str]]] = {SUB_EXECUTIONS: [], LOGS: []}
    dropped = list(changes.dropped)
    for attribute, entries in ((SUB_EXECUTIONS, changes.sub_executions), (LOGS, changes.logs)):
        for number, entry in enumerate(entries):
            size = value_size(entry) + ELEMENT_BYTES
            if size > room:
                dropped.append(Dropped(f"{attribute} (new {number})", Reason.ITEM_FULL))
            else:
                room -= size
                kept[attribute].append(entry)
    filled = {}
    for (place, name), text in changes.filled.items():
        size = value_size(text)
        if size > room:
            dropped.append(Dropped(f"{LOGS}[{place}].{name}", Reason.ITEM_FULL))
        else:
            room -= size
            filled[place, name] = text
    return Changes(kept[SUB_EXECUTIONS], kept[LOGS], filled, dropped)


def _with(done: Registered, changes: Changes) -> Registered:
    return replace(
        done,
        sub_executions=done.sub_executions + len(changes.sub_executions),
        logs=done.logs + len(changes.logs),
        filled=done.filled + len(changes.filled),
    )


def _is_list_of_maps(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, Mapping) for entry in value)
