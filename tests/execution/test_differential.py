"""Plans give what graphql-core gives: the same bytes, the same errors, null in the same places."""

import asyncio
from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.execution.comparing import Bench
from tests.execution.generating import operations, variables, world
from tests.execution.schema import make_schema

BENCH = Bench(make_schema())


@settings(max_examples=400)
@given(operations(BENCH.core), variables, st.integers(0, 2**32), st.sampled_from([0.0, 0.005, 0.03, 0.15]))
def test_random_operations_over_random_records(operation: str, given: dict[str, Any], seed: int, faults: float) -> None:
    note(operation)
    asyncio.run(BENCH.both(operation, lambda: world(seed, faults), given))
