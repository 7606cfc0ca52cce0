"""Objects by the keys under which subgraphs refer to them. Each passes the gate that it passes at the root."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from graph.context import Context
from graph.errors import BadUserInput
from graph.resolvers.kinds import ENTITIES
from graph.resolvers.nodes import gather_settled

MOST = 1000


Reference = tuple[str, ...]
"""The name of a type, and the values of its key."""


async def entities(context: Context, representations: Sequence[Any]) -> list[Any]:
    """Return the objects of some representations, in their order; the error of one stands in its place.

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
    """Return what a representation refers to, by the fields of its key alone; show none of its values."""
    match representation:
        case {"__typename": str(kind)} if kind in ENTITIES and not any(map(_is_nested, representation.values())):
            key = tuple(representation.get(name) for name in ENTITIES[kind].key)
            if all(isinstance(value, str) for value in key):
                return (kind, *key)
    return BadUserInput("Not a representation: '__typename' names an entity of this graph, its key is of strings.")


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list)
