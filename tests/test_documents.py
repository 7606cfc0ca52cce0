"""Documents, parsed under limits and kept."""

import pytest
from graphql import GraphQLSyntaxError

from graph.documents import Documents
from graph.errors import OperationUnresolved, PayloadTooLarge
from graph.settings import Settings
from tests.harness import SCHEMA


def documents(**settings: int) -> Documents:
    return Documents(SCHEMA.core, Settings(**settings))  # type: ignore[arg-type]


def test_a_valid_document_is_parsed_and_validated_once() -> None:
    known = documents()
    document = known.parse("{ __typename }")
    assert known.validate(document) == []
    assert known.parse("{ __typename }") is document


def test_a_document_that_is_not_valid_is_not_kept() -> None:
    known = documents()
    document = known.parse("{ nothing }")
    assert known.validate(document)
    assert known.parse("{ nothing }") is not document


def test_the_oldest_make_room() -> None:
    known = documents()
    first = known.parse("{ __typename } # first")
    known.validate(first)
    for number in range(40):
        known.validate(known.parse(f"{{ __typename }} # {number} {'x' * 10_000}"))
    assert known.parse("{ __typename } # first") is not first
    assert sum(map(len, known._valid)) == known._kept <= 256 * 1024


@pytest.mark.parametrize("text", ["{" + " __typename" * 200 + "}", "{ __typename }" + "#\n" * 200])
def test_too_many_tokens_end_the_parsing(text: str) -> None:
    with pytest.raises(GraphQLSyntaxError, match="more than 100"):
        documents(max_tokens=100).parse(text)


def test_a_long_text_is_not_read() -> None:
    with pytest.raises(PayloadTooLarge, match="1024 characters"):
        documents(max_document_characters=1024).parse(" " * 1025)


def test_an_operation_is_found_by_name() -> None:
    document = documents().parse("query a { __typename } query b { __typename }")
    assert document.operation("b") is document.operations[1]
    for name in (None, "c", ""):
        with pytest.raises(OperationUnresolved):
            document.operation(name)


def test_the_only_operation_needs_no_name() -> None:
    document = documents().parse("query a { __typename }")
    assert document.operation(None) is document.operation("a")


def test_a_hash_tells_documents_apart() -> None:
    known = documents()
    assert known.parse("{ a }").hash == known.parse("{ a }").hash != known.parse("{ b }").hash
