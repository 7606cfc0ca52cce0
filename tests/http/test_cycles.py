"""An operation that runs by a plan leaves nothing to the garbage collector, whose pauses grow with what it looks at.

Reading a new document leaves cycles of graphql-core's; documents are kept, so each is sent before it is looked at.
"""

import asyncio
import gc
import json
from pathlib import Path
from typing import Any

import pytest

from bench.calls import application, ask

DOCUMENTS = Path(__file__).parent.parent / "documents"
LIST = """query ($first: Int, $after: String) {
  executions(first: $first, after: $after, filter: {status: [SUCCEEDED]}) {
    edges { cursor node { executionId status workflow { name } } } pageInfo { hasNextPage endCursor }
  }
}"""
QUESTIONS: dict[str, dict[str, Any]] = {
    "a name of a type": {"query": "{ __typename }"},
    "files of a step": {
        "query": (DOCUMENTS / "step_files.graphql").read_text(),
        "variables": json.loads((DOCUMENTS / "step_files.variables.json").read_text()),
    },
    "a list": {"query": LIST, "variables": {"first": 20}},
    "too long a list": {"query": LIST, "variables": {"first": 1000}},
    "a cursor that is none": {"query": LIST, "variables": {"after": "x"}},
    "what is not there": {"query": '{ execution(executionId: "none") { status } }'},
    "an id that is none": {"query": '{ node(id: "x") { id } }'},
}


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
async def test_an_operation_leaves_nothing_to_collect(question: dict[str, Any]) -> None:
    app, services = application()
    body = json.dumps(question).encode()
    for _ in range(2):
        await ask(app, body)
    await asyncio.sleep(0.01)  # in which what was cancelled ends
    gc.collect()
    gc.disable()
    try:
        answer = await ask(app, body)
        await asyncio.sleep(0.01)
        found = gc.collect()
    finally:
        gc.enable()
        services.close()
    assert b'"data"' in answer or b'"errors"' in answer
    assert found == 0
