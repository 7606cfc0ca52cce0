"""Both ways to execute, and what must be alike in what they give."""

import inspect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CoroutineType
from typing import Any

import orjson
import strawberry
from graphql import DocumentNode, ExecutionResult, parse, validate
from graphql import execute as execute_by_core
from strawberry.execution import optimized_is_awaitable
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from graph.execution import Planner, Plans, execute
from tests.execution.schema import World


@dataclass(frozen=True)
class Both:
    """What an operation gives by a plan, and by graphql-core."""

    planned: ExecutionResult
    core: ExecutionResult


class Bench:
    """A schema that is asked both ways."""

    def __init__(self, schema: strawberry.Schema) -> None:
        self.core = schema._schema
        self.planner = Planner(schema)

    def document(self, text: str) -> DocumentNode:
        """A document, which must be valid."""
        node = parse(text)
        errors = validate(self.core, node)
        assert not errors, errors
        return node

    def plans(self, document: DocumentNode) -> Plans:
        """The plans of a document, none yet."""
        return Plans(self.planner, document)

    async def planned(
        self, plans: Plans, document: DocumentNode, world: Any, variables: Mapping[str, Any] | None = None
    ) -> ExecutionResult:
        return await execute(plans, document, world, variables)

    async def by_core(
        self, document: DocumentNode, world: Any, variables: Mapping[str, Any] | None = None
    ) -> ExecutionResult:
        begun: list[CoroutineType[Any, Any, Any]] = []

        def is_awaitable(value: Any) -> bool:
            if isinstance(value, CoroutineType):
                begun.append(value)
            return optimized_is_awaitable(value)

        result: Any = execute_by_core(
            self.core,
            document,
            context_value=world,
            variable_values=dict(variables or {}),
            executor_class=StrawberryGraphQLCoreExecutionContext,
            is_awaitable=is_awaitable,  # type: ignore[arg-type]
        )
        if optimized_is_awaitable(result):
            result = await result
        assert isinstance(result, ExecutionResult)
        for coroutine in begun:  # where an error makes something null, graphql-core leaves what is beside it unawaited
            if inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
                coroutine.close()
        return result

    async def both(self, text: str, world: Callable[[], World], variables: Mapping[str, Any] | None = None) -> Both:
        """Both results. The plan is used twice, since the second time finds it made."""
        document = self.document(text)
        plans = Plans(self.planner, document)
        core = await self.by_core(document, world(), variables)
        first = await self.planned(plans, document, world(), variables)
        again = await self.planned(plans, document, world(), variables)
        assert_alike(first, core)
        assert_alike(again, core)
        return Both(first, core)


def assert_alike(one: ExecutionResult, other: ExecutionResult) -> None:
    """The same bytes, and the same errors.

    Where null goes up, what else was said of the places within depends on what came first, so that only the places that
    are null are compared.
    """
    assert encoded(one.data) == encoded(other.data)
    assert errors_of(one) == errors_of(other)


def encoded(data: Any) -> bytes:
    """The data as it is sent."""
    return orjson.dumps(data, option=orjson.OPT_NON_STR_KEYS)


def errors_of(result: ExecutionResult | strawberry.types.ExecutionResult) -> tuple[Counter[str], set[str]]:
    """The errors of places that are null by themselves, each with its text; and the places that others made null."""
    own: Counter[str] = Counter()
    above: set[str] = set()
    for error in result.errors or ():
        place = _null(result.data, error.path or ())
        if place == list(error.path or ()):
            own[repr(error.formatted)] += 1
        else:
            above.add(repr(place))
    return own, above


def _null(data: Any, path: Sequence[str | int]) -> list[str | int]:
    """The place on a path where null is."""
    walked: list[str | int] = []
    for key in path:
        if data is None:
            break
        data = data[key]
        walked.append(key)
    assert data is None, f"an error at {path}, where there is {data!r}"
    return walked
