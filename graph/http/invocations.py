"""Requests within an invocation of AWS Lambda, which ends with its time, whatever runs."""

import time
from collections.abc import MutableMapping
from typing import Any

_CONTEXT = "aws.context"  # where adapters of ASGI put the context of an invocation


def invocation_end(scope: MutableMapping[str, Any]) -> float | None:
    """Return when the invocation of a request ends, in seconds of the monotonic clock; None outside of Lambda."""
    remaining = getattr(scope.get(_CONTEXT), "get_remaining_time_in_millis", None)
    return time.monotonic() + remaining() / 1000 if remaining is not None else None
