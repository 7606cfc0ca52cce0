"""Every recorded request is answered as it was, by plans and by graphql-core alone."""

import json

import pytest

from tests.memory import MemoryDatabase
from tests.recorded.answers import ANSWERS, answers, lines


@pytest.mark.parametrize("fast_execution", [True, False], ids=["plans", "graphql-core"])
async def test_every_recorded_request_is_answered_as_it_was(memory: MemoryDatabase, fast_execution: bool) -> None:
    now = [json.loads(line) for line in lines(await answers(memory, fast_execution=fast_execution))]
    then = [json.loads(line) for line in ANSWERS.read_text().splitlines()]
    assert [one["name"] for one in now] == [one["name"] for one in then]
    # What was counted differs: without plans, nothing tells loaders when all has been asked for.
    differ = [
        (before, after)
        for before, after in zip(then, now, strict=True)
        if before != after and (fast_execution or "cost" not in after["name"])
    ]
    assert differ[:3] == [], "python -m tests.recorded records them anew, if that is meant"


def test_there_are_five_hundred_and_each_has_a_name_of_its_own() -> None:
    names = [json.loads(line)["name"] for line in ANSWERS.read_text().splitlines()]
    assert len(names) >= 500
    assert len(set(names)) == len(names)
