"""Objects by the keys under which subgraphs refer to them. Each passes the gate that it passes at the root."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from graph.context import Context
from graph.errors import BadUserInput
from graph.resolvers import executions, references, steps
from graph.resolvers.nodes import gather_settled

MOST = 1000


@dataclass(frozen=True, slots=True)
class Entity:
    """A type that other subgraphs refer to: the fields of its key, which are all strings, and what finds it by them."""

    key: tuple[str, ...]
    find: Callable[..., Awaitable[Any]]


ENTITIES: Mapping[str, Entity] = {
    "Asset": Entity(("databaseId", "assetId"), references.asset),
    "Database": Entity(("databaseId",), references.database),
    "Execution": Entity(("executionId",), executions.execution),
    "ExecutionGroup": Entity(("groupId",), executions.group),
    "Pipeline": Entity(("databaseId", "pipelineId"), references.pipeline),
    "PipelineExecution": Entity(("pipelineExecutionId",), steps.step),
    "Workflow": Entity(("databaseId", "workflowId"), references.workflow),
}

Reference = tuple[str, ...]
"""The name of a type, and the values of its key."""


async def entities(context: Context, representations: Sequence[Any]) -> list[Any]:
    """The objects of some representations, in their order; the error of one stands in its place.

    Raises:
        BadUserInput: for more than a thousand.
    """
    if len(representations) > MOST:
        raise BadUserInput(f"'representations' takes at most {MOST} of them.")
    wanted = [_reference(one) for one in representations]
    distinct = list(dict.fromkeys(one for one in wanted if isinstance(one, tuple)))
    found = await gather_settled(
        context.scope, (partial(ENTITIES[kind].find, context, *key) for kind, *key in distinct)
    )
    by_reference = dict(zip(distinct, found, strict=True))
    return [by_reference[one] if isinstance(one, tuple) else one for one in wanted]


def _reference(representation: Any) -> Reference | BadUserInput:
    """What a representation refers to. Its other fields are not looked at, and nothing of it is ever shown."""
    match representation:
        case {"__typename": str(kind)} if kind in ENTITIES and not any(map(_is_nested, representation.values())):
            key = tuple(representation.get(name) for name in ENTITIES[kind].key)
            if all(isinstance(value, str) for value in key):
                return (kind, *key)
    return BadUserInput("Not a representation: '__typename' names an entity of this graph, its key is of strings.")


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)
