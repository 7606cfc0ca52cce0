"""Documents, parsed under limits, validated, and kept."""

import asyncio
import gc

import pytest
from graphql import GraphQLSyntaxError

from graph.documents import BoundDocument, Documents, ValidationFailed
from graph.errors import OperationUnresolved, Overloaded, PayloadTooLarge
from graph.settings import Settings
from tests.harness import SCHEMA

NODE = '{ node(id: "%s") { id } }'


def cache(expected: int = 0, **settings: float) -> Documents:
    return Documents(SCHEMA.core, Settings(**settings), expected)  # type: ignore[arg-type]


async def read(documents: Documents, source: str) -> BoundDocument:
    return await documents.read(source, "ana")


async def valid(documents: Documents, sent: BoundDocument) -> BoundDocument:
    return await documents.valid(sent, "ana")


async def sent(documents: Documents, source: str) -> BoundDocument:
    return await valid(documents, await read(documents, source))


async def test_a_valid_document_is_parsed_and_validated_once() -> None:
    documents = cache()
    first = await sent(documents, "{ __typename }")
    again = await read(documents, "{ __typename }")
    assert again.document is first.document
    assert await valid(documents, again) is again


async def test_a_document_that_is_not_valid_is_not_kept() -> None:
    documents = cache()
    for _ in range(2):
        parsed = await read(documents, "{ nothing }")
        assert not parsed.document.is_valid
        with pytest.raises(ValidationFailed) as fault:
            await valid(documents, parsed)
        assert "nothing" in fault.value.errors[0].message


async def test_what_was_made_of_a_document_is_kept_with_it() -> None:
    documents, made = cache(), list[object]()
    for _ in range(2):
        (await sent(documents, "{ __typename }")).document.once(made.append)
    assert len(made) == 1


async def test_texts_that_differ_in_their_strings_are_one_document() -> None:
    documents = cache()
    first, second = await sent(documents, NODE % "a"), await read(documents, NODE % "b")
    assert second.document is first.document
    assert (first.variables(None), second.variables({"n": 1, "0": 5})) == ({"0": "a"}, {"n": 1, "0": "b"})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{ a: node(id: "x") { id } b: node(id: "x") { id } }', '{ a: node(id: "x") { id } b: node(id: "y") { id } }'),
        ('{ node(id: "1") { id } }', "{ node(id: 1) { id } }"),
        ('query ($i: ID! = "x") { node(id: $i) { id } }', 'query ($i: ID! = "y") { node(id: $i) { id } }'),
        ('query ($i: ID! = "0") { node(id: $i) { id } }', 'query ($i: ID! = "1") { node(id: $i) { id } }'),
        (r'{ node(id: "\u0061") { id } }', r'{ node(id: "\u0062") { id } }'),
        ('{ node(id: """a""") { id } }', '{ node(id: """b""") { id } }'),
        ("{ executions(first: 1) { nodes { id } } }", "{ executions(first: 2) { nodes { id } } }"),
    ],
)
async def test_other_texts_are_other_documents(one: str, other: str) -> None:
    documents = cache()
    first, second = await sent(documents, one), await sent(documents, other)
    assert second.document is not first.document
    assert (await read(documents, one)).document is first.document
    assert (await read(documents, other)).document is second.document


async def test_fields_that_cannot_be_merged_are_found_though_a_like_text_was_valid() -> None:
    documents = cache()
    await sent(documents, '{ node(id: "a") { id } node(id: "a") { id } }')
    with pytest.raises(ValidationFailed):
        await sent(documents, '{ node(id: "a") { id } node(id: "b") { id } }')


async def test_texts_that_differ_in_their_strings_have_one_hash_and_others_have_others() -> None:
    documents = cache()
    first, second = await sent(documents, NODE % "a"), await sent(documents, NODE % "b")
    assert first.document.hash == second.document.hash != (await sent(documents, "{ __typename }")).document.hash


async def test_many_who_send_the_same_new_text_wait_for_one_reading() -> None:
    documents = cache()
    found = await asyncio.gather(*(sent(documents, NODE % number) for number in range(20)))
    assert len({one.document for one in found}) == 1


async def test_who_waits_too_long_for_others_is_told_so() -> None:
    documents = cache(wait_seconds=0.01)
    long = "{" + "".join(f" a{number}: __typename" for number in range(900)) + "}"
    found = await asyncio.gather(*(sent(documents, f"{long} # {n}") for n in range(9)), return_exceptions=True)
    assert any(isinstance(one, Overloaded) for one in found)
    assert any(isinstance(one, BoundDocument) for one in found)


async def test_the_loop_goes_on_while_a_long_text_is_read() -> None:
    documents = cache()
    reading = asyncio.create_task(sent(documents, "{" + " ".join(f"a{n}: __typename" for n in range(900)) + "}"))
    turns = 0
    while not reading.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 10


async def test_the_oldest_make_room() -> None:
    documents = cache()
    first = await sent(documents, "{ __typename } # first")
    for number in range(40):
        await sent(documents, f"{{ __typename }} # {number} {'x' * 10_000}")
    assert (await read(documents, "{ __typename } # first")).document is not first.document
    assert sum(map(len, documents._kept)) == documents._characters <= 256 * 1024


async def test_there_is_room_for_what_is_expected() -> None:
    documents = cache(expected=500_000)
    first = await sent(documents, "{ __typename } # first")
    for number in range(40):
        await sent(documents, f"{{ __typename }} # {number} {'x' * 10_000}")
    assert (await read(documents, "{ __typename } # first")).document is first.document


def test_thousands_of_documents_take_no_more_room_than_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.documents.cache._KEPT_CHARACTERS", 4 * 1024)
    documents = cache()

    def objects_after(numbers: range) -> int:
        for number in numbers:
            documents.add(f"{{ a{number}: __typename }}")
        gc.collect()
        return len(gc.get_objects())

    some = objects_after(range(200))
    assert objects_after(range(200, 2_000)) < 1.02 * some


@pytest.mark.parametrize("text", ["{" + " __typename" * 200 + "}", "{ __typename }" + "#\n" * 200])
async def test_too_many_tokens_end_the_parsing(text: str) -> None:
    with pytest.raises(GraphQLSyntaxError, match="more than 100"):
        await read(cache(max_tokens=100), text)


async def test_a_long_text_is_not_read() -> None:
    with pytest.raises(PayloadTooLarge, match="1024 characters"):
        await read(cache(max_document_characters=1024), " " * 1025)


async def test_a_long_text_is_not_read_though_a_like_text_is_known() -> None:
    documents = cache(max_document_characters=1024)
    await sent(documents, NODE % "a")
    with pytest.raises(PayloadTooLarge):
        await read(documents, NODE % ("a" * 1024))


def test_an_operation_is_found_by_name() -> None:
    document = cache().parse("query a { __typename } query b { __typename }")
    assert document.operation("b") is document.operations[1]
    for name in (None, "c", ""):
        with pytest.raises(OperationUnresolved):
            document.operation(name)


def test_the_only_operation_needs_no_name() -> None:
    document = cache().parse("query a { __typename }")
    assert document.operation(None) is document.operation("a")
