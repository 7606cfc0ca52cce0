"""Plans give what graphql-core gives: the same bytes, the same errors, null in the same places."""

import asyncio
from collections import Counter
from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from graph.execution import Plans
from tests.execution.comparing import Bench, errors_of
from tests.execution.growing import VALUES, arguments, world
from tests.execution.operations import operations
from tests.execution.schema import make_schema

BENCH = Bench(make_schema())


@settings(max_examples=200)
@given(operations(BENCH.core, arguments), VALUES, st.integers(0, 2**32), st.sampled_from([0.0, 0.005, 0.03, 0.15]))
def test_random_operations_over_random_records(
    operation: str, values: dict[str, Any], seed: int, faults: float
) -> None:
    note(operation)
    asyncio.run(BENCH.both(operation, lambda: world(seed, faults), values))


@settings(max_examples=80)
@given(operations(BENCH.core, arguments), VALUES, st.integers(0, 2**32), st.sampled_from([0.0, 0.01]))
def test_every_resolver_is_asked_as_often(operation: str, values: dict[str, Any], seed: int, faults: float) -> None:
    """Even where something is not as expected, and graphql-core takes over. Where null goes up, more is left undone."""
    note(operation)
    document = BENCH.document(operation)
    ours, cores = world(seed, faults), world(seed, faults)
    result = asyncio.run(BENCH.planned(Plans(BENCH.planner, document), document, ours, values))
    asyncio.run(BENCH.by_core(document, cores, values))
    _, above = errors_of(result)
    if not above:
        assert Counter(ours.asked) == Counter(cores.asked)
