"""When the invocation of a request ends, as adapters of AWS Lambda tell it."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from graph.http.invocations import invocation_end


@pytest.mark.parametrize("scope", [{}, {"aws.context": None}, {"aws.context": SimpleNamespace()}, {"aws.context": {}}])
def test_outside_of_lambda_there_is_no_end(scope: dict[str, Any]) -> None:
    assert invocation_end(scope) is None


@pytest.mark.parametrize("milliseconds", [0, 5_000, 900_000])
def test_the_context_says_how_much_time_is_left(milliseconds: int) -> None:
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: milliseconds)
    end = invocation_end({"aws.context": context})
    assert end is not None
    assert abs(end - time.monotonic() - milliseconds / 1000) < 1
