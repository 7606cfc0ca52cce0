"""Content negotiation (RFC 9110, section 12.5): what a client accepts, and how much it likes each."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from starlette.datastructures import Headers

_WEIGHT = re.compile(r"0|0?\.[0-9]+|[01]\.|1(?:\.0+)?")  # Java's own client leaves the zero out
_ANY = "*"


def weights(headers: Headers, name: str) -> Mapping[str, float]:
    """Return each choice of a header, in lower case, with its weight from 0 to 1; several lines are one list.

    Parameters beside ``q`` are left out. A weight that is malformed is 0; of one choice that comes again the greatest
    counts.
    """
    return _weights(",".join(headers.getlist(name)))


@lru_cache(maxsize=64)  # clients of one kind send the same
def _weights(choices: str) -> Mapping[str, float]:
    chosen = dict[str, float]()
    for choice in choices.lower().split(","):
        value, *parameters = map(str.strip, choice.split(";"))
        if value:
            chosen[value] = max(chosen.get(value, 0), _weight(parameters))
    return chosen


def media_type_weight(accepted: Mapping[str, float], media_type: str) -> float:
    """Return how much a media type is liked, by the most specific range that it is in."""
    return _first(accepted, media_type, media_type.partition("/")[0] + "/*", "*/*")


def prefers_gzip(codings: Mapping[str, float]) -> bool:
    """Return whether gzip is acceptable, and nothing says that a plain response is better."""
    gzip = _first(codings, "gzip", "x-gzip", _ANY)
    return gzip > 0 and gzip >= _first(codings, "identity", _ANY)


def takes_plain(codings: Mapping[str, float]) -> bool:
    """Return whether a response that is not packed is acceptable, as it is unless the client says otherwise."""
    return _first(codings, "identity", _ANY, default=1) > 0


def _first(accepted: Mapping[str, float], *names: str, default: float = 0) -> float:
    return next((accepted[name] for name in names if name in accepted), default)


def _weight(parameters: Iterable[str]) -> float:
    for name, _, value in (map(str.strip, parameter.partition("=")) for parameter in parameters):
        if name == "q":
            return float(value) if _WEIGHT.fullmatch(value) else 0
    return 1
