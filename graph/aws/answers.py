"""Whether what boto3 received is a whole answer.

botocore makes the best of an answer that was cut on the way: it reads a body that is no JSON as one without members,
in which a row that exists is absent. It crashes on JSON of another kind.
"""

from collections.abc import Mapping
from typing import Any

import orjson
from botocore.exceptions import ResponseStreamingError


def parsed_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object that a body is.

    Raises:
        ResponseStreamingError: it is none.
    """
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ResponseStreamingError(error="the answer is no JSON") from error
    if not isinstance(answer, dict):
        raise ResponseStreamingError(error="the answer is no JSON object")
    return answer


def require_whole(response_dict: dict[str, Any], **_: object) -> None:
    """Refuse an answer that is not whole; botocore calls this before it parses one.

    Raises:
        ResponseStreamingError: it is no answer, or was cut.
    """
    status, body = response_dict["status_code"], response_dict["body"]
    if status >= 300:
        _drop_unreadable(response_dict)
    elif status < 200:
        raise ResponseStreamingError(error=f"the answer has the status {status}")
    else:
        _require_length(response_dict["headers"], body)
        parsed_object(body)


def _require_length(headers: Mapping[str, str], body: bytes) -> None:
    length = headers.get("Content-Length")
    if length is not None and length != str(len(body)):
        raise ResponseStreamingError(error=f"the answer has {len(body)} bytes of {length}")


def _drop_unreadable(response_dict: dict[str, Any]) -> None:
    """Leave the status alone to tell of a refusal that is no JSON object, such as a balancer's page."""
    try:
        parsed_object(response_dict["body"])
    except ResponseStreamingError:
        response_dict["body"] = b""
