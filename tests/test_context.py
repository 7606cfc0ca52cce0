"""What one operation carries, and that nothing of it outlives the operation."""

import asyncio
import gc
import weakref

import pytest
from graphql import GraphQLObjectType

from graph.context import Extra
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.schema.fields import extra_of
from tests.harness import SCHEMA, Graph

DOCUMENT = "query($id: String!) { execution(executionId: $id) { status workflow { name } } }"


@pytest.mark.parametrize(
    ("selected", "extras"),
    [
        ('asset(databaseId: "a", assetId: "b") { executions { edges { roles } } }', {Extra.ASSET_ROLES}),
        ('asset(databaseId: "a", assetId: "b") { executions { edges { node { id } } nodes { id } } }', set()),
        ('execution(executionId: "a") { metadataEnvelope { text: fullLocation { key } } }', {Extra.WHOLE_TEXT}),
        (
            'execution(executionId: "a") { metadataEnvelope { ... on StoredText { part { content } } } }',
            {Extra.WHOLE_TEXT},
        ),
        ('execution(executionId: "a") { metadataEnvelope { content } statusSource }', set()),
        (
            'pipelineExecution(pipelineExecutionId: "a") { subExecutions { nodes { ...named } } }',
            {Extra.WARNING_SUBJECT},
        ),
    ],
)
async def test_a_selection_has_the_extras_of_its_fields(quick: Graph, selected: str, extras: set[Extra]) -> None:
    warned = "fragment named on SubExecution { statusWarning { subject { id } } }" if "...named" in selected else ""
    sent = await quick.sent(f"{{ {selected} }} {warned}")
    assert SCHEMA.selection(sent.document).extras == extras


def test_a_field_declares_every_extra() -> None:
    declared = {
        extra_of(field.extensions["strawberry-definition"])
        for name, kind in SCHEMA.core.type_map.items()
        if isinstance(kind, GraphQLObjectType) and not name.startswith("__")
        for field in kind.fields.values()
    }
    assert declared - {None} == set(Extra)


async def test_each_operation_has_loaders_of_its_own(quick: Graph) -> None:
    one, other = await quick.context(), await quick.context()
    assert one.loaders is one.loaders
    assert one.loaders is not other.loaders
    assert one.tally is not other.tally
    assert one.access is not other.access


async def test_an_operation_asks_again_what_another_has_read(quick: Graph) -> None:
    first = await quick.ask(DOCUMENT, id=SAMPLE_EXECUTION_ID)
    second = await quick.ask(DOCUMENT, id=SAMPLE_EXECUTION_ID)
    assert first.cost == second.cost != {}
    assert first.data == second.data


async def test_nothing_of_an_operation_is_kept(quick: Graph) -> None:
    context = await quick.context()
    sent = await quick.sent(DOCUMENT)
    result = await quick.schema.answer(sent.document, context, sent.variables({"id": SAMPLE_EXECUTION_ID}))
    assert result.data is not None
    kept = weakref.ref(context), weakref.ref(context.loaders.executions.by_id)
    del context, result
    gc.collect()
    assert [reference() for reference in kept] == [None, None]


async def test_what_an_operation_read_goes_with_its_end_and_not_only_with_the_next_collection(quick: Graph) -> None:
    context = await quick.context()
    sent = await quick.sent(DOCUMENT)
    gc.collect()
    gc.disable()
    try:
        await quick.schema.answer(sent.document, context, sent.variables({"id": SAMPLE_EXECUTION_ID}))
        loader = weakref.ref(context.loaders.executions.by_id)
        assert loader() is not None
        await context.close()
        await asyncio.sleep(0)
        assert loader() is None
    finally:
        gc.enable()


async def test_the_tally_counts_the_operations_own_calls(quick: Graph) -> None:
    answer = await quick.ask(DOCUMENT, id=SAMPLE_EXECUTION_ID)
    assert (answer.tally.calls, answer.tally.rounds) == (len(answer.calls), 2)
