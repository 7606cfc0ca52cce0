import logging
import re
from typing import Any

import pytest
from graphql import GraphQLError, build_schema, graphql_sync, parse
from graphql.error import located_error

from graph import errors
from graph.errors import GraphError, InvalidCursor, MalformedValue, Throttled, present

SECRET = "arn:aws:dynamodb:eu-west-1:123456789012:table/secret"
NODES = [parse("{ a { b } }").definitions[0]]


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as caught:
        return caught


def shown(error: Exception) -> dict[str, Any]:
    """How an error that a resolver raised at ``a.b`` is presented."""
    return dict(present(located_error(raised(error), NODES, ["a", "b"])))


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError(SECRET),
        ValueError(SECRET),
        KeyError(SECRET),
        AssertionError(SECRET),
        OSError(13, SECRET),
        TimeoutError(SECRET),
        UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET),
    ],
)
def test_what_nobody_expected_is_masked_in_the_answer_and_in_the_log(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        answer = shown(error)
    assert answer["message"] == "Internal error."
    assert SECRET not in repr(answer)
    assert SECRET not in caplog.text


def test_what_is_masked_is_found_in_the_log_by_its_id(caplog: pytest.LogCaptureFixture) -> None:
    first, second = (shown(RuntimeError(SECRET))["extensions"] for _ in range(2))
    assert first["code"] == second["code"] == "INTERNAL"
    assert re.fullmatch(r"[0-9a-f]{16}", first["errorId"])
    assert first["errorId"] != second["errorId"]
    message = caplog.messages[0]
    assert message.startswith(f"Internal error {first['errorId']}: RuntimeError\n")
    assert "in raised" in message


def test_the_cause_of_what_is_masked_is_not_told_either(caplog: pytest.LogCaptureFixture) -> None:
    error = RuntimeError("outer")
    error.__cause__ = ValueError(SECRET)
    assert SECRET not in repr(shown(error)) + caplog.text


@pytest.mark.parametrize("error", [RuntimeError(SECRET), Throttled()])
def test_path_and_locations_are_kept(error: Exception) -> None:
    answer = shown(error)
    assert answer["path"] == ["a", "b"]
    assert answer["locations"] == [{"line": 1, "column": 1}]


@pytest.mark.parametrize(
    ("error", "extensions"),
    [
        (Throttled(), {"code": "THROTTLED", "retryable": True}),
        (errors.UpstreamUnavailable(), {"code": "UPSTREAM_UNAVAILABLE", "retryable": True}),
        (InvalidCursor("after"), {"code": "INVALID_CURSOR"}),
        (errors.InvalidId(), {"code": "INVALID_ID"}),
        (errors.Forbidden(), {"code": "FORBIDDEN"}),
        (errors.BadUserInput("'first' is too large."), {"code": "BAD_USER_INPUT"}),
        (MalformedValue("fileSize"), {"code": "MALFORMED_VALUE"}),
    ],
)
def test_what_is_meant_for_the_client_is_shown_with_its_code(
    error: GraphError, extensions: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    answer = shown(error)
    assert answer["message"] == str(error)
    assert answer["extensions"] == extensions
    assert caplog.text == ""


def test_what_is_meant_for_the_client_is_found_below_every_layer() -> None:
    inner = GraphQLError("a layer", original_error=Throttled())
    assert present(GraphQLError("another", original_error=inner))["extensions"] == {
        "code": "THROTTLED",
        "retryable": True,
    }


def test_an_error_that_is_meant_for_the_client_has_a_code_of_its_own() -> None:
    kinds = [GraphError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    named = [kind for kind in kinds if kind.__module__ == errors.__name__]
    assert len({kind.code for kind in named}) == len(named)


SCHEMA = build_schema("type Query { a(number: Int!): String }")


def found(document: str, **variables: Any) -> list[dict[str, Any]]:
    result = graphql_sync(SCHEMA, document, variable_values=variables)
    return [dict(present(error)) for error in result.errors or ()]


def test_a_document_that_does_not_parse_is_told_with_its_place() -> None:
    (error,) = found("{ a(")
    assert error["message"].startswith("Syntax Error")
    assert error["extensions"] == {"code": "GRAPHQL_PARSE_FAILED"}
    assert error["locations"] == [{"line": 1, "column": 5}]


@pytest.mark.parametrize(
    "document", ["{ b }", "{ a }", '{ a(number: "x") }', "{ ...gone }", "query ($n: Nope) { a(number: 1) }"]
)
def test_a_document_that_is_not_valid_is_told(document: str) -> None:
    for error in found(document):
        assert error["extensions"] == {"code": "GRAPHQL_VALIDATION_FAILED"}
        assert error["message"] != "Internal error."
    assert found(document)


def test_a_variable_that_does_not_fit_is_told(caplog: pytest.LogCaptureFixture) -> None:
    (error,) = found("query ($n: Int!) { a(number: $n) }", n="seven")
    assert "$n" in error["message"]
    assert error["extensions"]["code"] in ("GRAPHQL_VALIDATION_FAILED", "BAD_USER_INPUT")
    assert caplog.text == ""


def _error(original: Exception, *path: str | int) -> GraphQLError:
    return GraphQLError(str(original), path=path, original_error=original)


def test_a_refusal_stands_once_for_each_field_at_its_first_row_and_other_errors_each_time() -> None:
    told = [
        _error(errors.Forbidden(), "runs", 10, "log"),
        _error(errors.Forbidden(), "runs", 2, "log"),
        _error(errors.Throttled(), "runs", 3, "log"),
        _error(errors.Throttled(), "runs", 4, "log"),
        _error(errors.Forbidden(), "runs", 2, "steps", 1, "log"),
        _error(errors.Forbidden(), "runs", 2, "steps", 0, "log"),
        _error(errors.Forbidden(), "log"),
        GraphQLError("of GraphQL's own making"),
    ]
    kept = errors.once_forbidden(told)
    assert [error.path for error in kept] == [
        ["runs", 2, "log"],
        ["runs", 3, "log"],
        ["runs", 4, "log"],
        ["runs", 2, "steps", 0, "log"],
        ["log"],
        None,
    ]
