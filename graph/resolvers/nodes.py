"""Objects by global id."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any

from graph.context import Context
from graph.errors import BadUserInput
from graph.operation import OperationScope
from graph.resolvers.kinds import KINDS, decode_id

MOST = 100


async def node(context: Context, text: str) -> Any:
    """Return the object of a global id, if there is one and the viewer may see it.

    Raises:
        InvalidId: when the text is no global id.
    """
    decoded = decode_id(text)
    return await KINDS[decoded.kind].find(context, decoded.parts)


async def nodes(context: Context, texts: Sequence[str]) -> list[Any]:
    """Return the objects of some global ids, in their order; the error of one stands in its place.

    Raises:
        BadUserInput: for more than a hundred ids.
    """
    if len(texts) > MOST:
        raise BadUserInput(f"'ids' takes at most {MOST} ids.")

    return await gather_settled(context.scope, (partial(node, context, text) for text in texts))


async def gather_settled(scope: OperationScope, finds: Iterable[Callable[[], Awaitable[Any]]]) -> list[Any]:
    """Find some objects together; the error of one stands in its place. None is begun that is given up before."""

    async def settled(find: Callable[[], Awaitable[Any]]) -> Any:
        try:
            return await find()
        except Exception as error:  # of any kind: a list is never null for one of its objects
            return error

    return list(await scope.gather(*map(settled, finds)))
