"""What boto3 received is refused unless it is whole."""

from typing import Any

import pytest
from botocore.exceptions import ResponseStreamingError

from graph.aws.answers import require_whole


def received(body: bytes, status: int = 200, **headers: str) -> dict[str, Any]:
    return {"status_code": status, "body": body, "headers": {name.replace("_", "-"): headers[name] for name in headers}}


@pytest.mark.parametrize(
    "answer", [received(b"{}"), received(b'{"Items": []}', Content_Length="13"), received(b"{}", 202)]
)
def test_a_whole_answer_is_left_as_it_is(answer: dict[str, Any]) -> None:
    before = dict(answer)
    require_whole(answer, operation_model=None)
    assert answer == before


@pytest.mark.parametrize(
    "answer",
    [
        received(b'{"Items": [{"a"'),
        received(b'{"Items": []}', Content_Length="20"),
        received(b""),
        received(b"<html>"),
        received(b"[]"),
        received(b"null"),
        received(b"\x1f\x8b"),
        received(b"", 103),
        received(b"{}", 101),
    ],
    ids=repr,
)
def test_anything_else_is_no_answer(answer: dict[str, Any]) -> None:
    with pytest.raises(ResponseStreamingError):
        require_whole(answer)


@pytest.mark.parametrize("body", [b"<html>Service Unavailable</html>", b"[1]", b'"text"', b"null", b""])
def test_of_a_refusal_that_is_no_object_the_status_is_left(body: bytes) -> None:
    answer = received(body, 503)
    require_whole(answer)
    assert (answer["body"], answer["status_code"]) == (b"", 503)


def test_a_refusal_with_a_code_is_left_as_it_is() -> None:
    answer = received(b'{"__type": "ThrottlingException"}', 400)
    require_whole(answer)
    assert answer["body"] == b'{"__type": "ThrottlingException"}'
