"""Strings that are taken out of documents change nothing of what is answered."""

from typing import Any

from graphql import GraphQLError, Lexer, Source, TokenKind
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.documents import BoundDocument, Documents, ValidationFailed
from graph.documents.strings import number_strings
from graph.errors import present
from graph.http.limits import Limits
from graph.settings import Settings
from tests.harness import SCHEMA, Graph

PIECES = [
    *('"', '""', '"""', "#", "\\", "\n", "\r", " ", ",", "a", "0", "{", "}", "(", "\ud800", "\x00", "\t", "é"),
    *(
        '"0"',
        '"a"',
        '"#"',
        '"a',
        '# "',
        r'"a\"b"',
        r'"\\"',
        r'"\u0061"',
        '"""a"b"""',
        r'"""a\"""b"""',
        '"\ud800"',
        '"\x00"',
    ),
]


def tokens(text: str) -> tuple[list[TokenKind], list[str | None]] | None:
    """The kinds of tokens, strings aside what they say, and what strings say; None for what has none."""
    lexer, rest, strings = Lexer(Source(text)), list[Any](), list[str | None]()
    try:
        while (token := lexer.advance()).kind is not TokenKind.EOF:
            is_string = token.kind is TokenKind.STRING
            rest.append((token.kind, None if is_string else token.value))
            if is_string:
                strings.append(token.value)
    except GraphQLError:
        return None
    return rest, strings


@settings(max_examples=1_000)
@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_a_numbered_text_has_the_same_tokens(text: str) -> None:
    template, strings = number_strings(text)
    before, after = tokens(text), tokens(template)
    if before is None:
        assert after is None
        return
    assert after is not None
    assert after[0] == before[0]
    if template != text:
        assert list(strings) == before[1]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_a_numbered_text_is_its_own(text: str) -> None:
    template, _ = number_strings(text)
    assert number_strings(template)[0] == template


DOCUMENTS = [
    '{ node(id: "%s") { id } }',
    '{ a: node(id: "%s") { id }\n  b: node(id: "%s") { id } # "\n  c: nodes(ids: ["%s", "%s"]) { id } }',
    '{ nodes(ids: "%s") { id } again: execution(executionId: "%s") { status } }',
    '{ execution(executionId: "%s") { status } execution(executionId: "%s") { id } }',
    '{ executions(filter: { startedFrom: "%s" }, first: 1) { nodes { id } } }',
    '{ executions(first: 1, after: "%s") { nodes { id } } node(id: "%s") { id } }',
    '{ executions(first: "%s") { nodes { id } } }',
    '{ execution(executionId: "%s") { status @include(if: "%s") } }',
    'query ($a: ID = "%s") { node(id: $a) { id } node2: node(id: "%s") { id } }',
    '{ ...f } fragment f on Query { node(id: "%s") { ...g } } fragment g on Node { id\n\n } { node(id: "%s") { id } }',
]
STRINGS = st.sampled_from(
    [SAMPLE_EXECUTION_ID, "2026-01-01T00:00:00Z", "2026", "", "true", "0", "1", "\\n", "\\", "#", "é", "a\nb"]
) | st.text(max_size=5)


async def plain(graph: Graph, text: str) -> Any:
    """The answer without any cache."""
    result = await SCHEMA.execute(text, context_value=await graph.context())
    return result.data, [present(error) for error in result.errors or ()]


async def cached(graph: Graph, documents: Documents, text: str) -> Any:
    try:
        sent = await documents.valid(await documents.read(text, "ana"), "ana")
    except GraphQLError as error:
        return None, [present(error)]
    except ValidationFailed as fault:
        return None, [present(error) for error in fault.errors]
    context = await graph.context()
    context.document = sent.document
    result = await SCHEMA.execute(text, sent.variables(None), context)
    return result.data, [present(sent.relocated(error)) for error in result.errors or ()]


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(DOCUMENTS), st.lists(st.lists(STRINGS, min_size=4, max_size=4), min_size=2, max_size=4))
async def test_an_answer_is_the_same_whatever_was_asked_before(
    quick: Graph, document: str, asked: list[list[str]]
) -> None:
    documents = Documents(SCHEMA.core, Settings(environment="development"))
    for strings in asked:
        text = document % tuple(strings[: document.count("%s")])
        assert await cached(quick, documents, text) == await plain(quick, text)


@given(st.sampled_from(DOCUMENTS[:6]), st.lists(STRINGS, min_size=4, max_size=4))
async def test_a_price_is_the_same_with_variables_for_strings(document: str, strings: list[str]) -> None:
    documents = Documents(SCHEMA.core, Settings())
    text = document % tuple(strings[: document.count("%s")])
    try:
        parsed = documents.parse(text)
        sent = await documents.valid(BoundDocument(text, parsed), "ana")
    except (GraphQLError, ValidationFailed):
        return
    price = Limits(SCHEMA.core, Settings()).price
    assert price(sent.document, sent.document.operations[0], sent.variables(None)) == price(
        parsed, parsed.operations[0]
    )
