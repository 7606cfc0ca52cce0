"""Removes secrets from text before it leaves the server, in time linear in the text.

Two kinds are found: what a name gives away (`graph.logs.named_secrets`), and what its own form gives away
(`graph.logs.secret_formats`, `graph.logs.private_keys`). The rules of VAMS are among them.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from decimal import Decimal
from itertools import pairwise
from typing import Any, TypeAlias

from graph.logs import invisible, secret_formats
from graph.logs.invisible import Visible
from graph.logs.named_secrets import find_named, is_option
from graph.logs.private_keys import find_key_lines, find_private_keys
from graph.logs.regions import Hints, Span
from graph.logs.secret_formats import find_encoded_json, find_tokens, find_url_passwords
from graph.logs.secret_names import is_sensitive

Json: TypeAlias = Any
"""What a JSON text or a DynamoDB item decodes to: dict, list, str, numbers (also Decimal), bool, None."""

REDACTED = "<redacted>"

# Whatever a rule finds holds one of these in lower case; most text holds none.
_HINTS_OF_NAME = (
    "token",
    "secret",
    "pass(?:w|phrase|[^a-z .,;!?])|-pass ",
    "pwd[^a-z0-9]",
    "credentials",
    "authorization",
    "bearer",
    "(?:priv(?:ate)?|api|access|account|auth|signing|encryption)[ _-]?key",
    "sig(?:=|%|.u00)",
    r"private(?:\+|%(?:25)*20)key",
    "signature",
    r"identified\s+(?:with|by|as)",
    r"-(?:u|user)[^a-z0-9][^\n:]{0,70}:",
)
_FORM_HINTS = Hints(*secret_formats.HINTS)
_INVISIBLE_HINTS = Hints(*invisible.HINTS)
_HINTS = Hints(*_HINTS_OF_NAME, *secret_formats.HINTS, *invisible.HINTS)


def redact(text: str) -> str:
    """Replace each secret in a text by `<redacted>`.

    Redact before cutting to a length. What was cut already is found too: a quote that never closes reaches to the end
    of the text. The same object comes back when nothing had to be replaced.
    """
    return _cut(text, _find_secrets(text))


def redact_part(text: str, start: int, stop: int) -> str:
    """Redact a text, and return what is between two offsets of the text as given.

    A secret that lies across an offset is told by its beginning: the parts of a text, put together, are the whole of it
    redacted, as far as each was given enough around it to see its secrets whole.
    """
    kept: list[str] = []
    end = start
    for first, last in _merged(_find_secrets(text)):
        if last <= start:
            continue
        if first >= stop:
            break
        kept.append(text[end:first])
        kept.append(REDACTED if first >= start else "")
        end = last
    kept.append(text[end:stop])
    return "".join(kept)


def _find_secrets(text: str) -> list[Span]:
    lowered = _lowered(text)
    regions = _HINTS.regions(lowered)
    if not regions:
        return []
    if not _INVISIBLE_HINTS.are_in(lowered):
        return _secrets(text, lowered, regions)
    visible = Visible(text)
    lowered = _lowered(visible.text)
    found = _secrets(visible.text, lowered, _HINTS.regions(lowered))
    return [visible.given(span) for span in found]


def _lowered(text: str) -> str:
    """Return a text in lower case, with the same offsets: the one letter whose lower case is longer goes first."""
    return text.replace("\u0130", "i").lower()


def _secrets(text: str, lowered: str, regions: list[Span]) -> list[Span]:
    found = find_named(text, lowered, regions)
    if _FORM_HINTS.are_in(lowered):
        found += find_tokens(text, regions)
        found += find_url_passwords(text, regions)
        found += (span for span, document in find_encoded_json(text, regions) if redact(document) is not document)
    found += find_private_keys(text)
    return found


def redact_lines(lines: Iterable[tuple[Hashable, str]]) -> list[str]:
    """Redact lines of logs, each given with what identifies its stream, in the order of each stream.

    A private key may lie on several lines of a stream, and its beginning or its end outside of them.
    """
    given = list(lines)
    streams: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, (stream, _) in enumerate(given):
        streams[stream].append(place)
    shown = [text for _, text in given]
    for places in streams.values():
        for place, text in zip(places, _without_key_lines([shown[place] for place in places]), strict=True):
            shown[place] = text
    return [redact(text) for text in shown]


def redact_json(value: Json) -> Json:
    """Copy a JSON value with its strings and keys redacted.

    All strings and numbers below a sensitive key are replaced whole, and so are the value of a name/value pair whose
    name is sensitive, and what follows a sensitive option in a list. Nulls and booleans stay, for they hold no secret
    and often tell what went wrong.
    """
    root = [value]
    # Copies whose slots still hold what the caller gave, each with "lies below a sensitive key". A list instead of
    # recursion, because the depth is the sender's choice.
    pending: list[tuple[Json, bool]] = [(root, False)]
    while pending:
        holder, below_secret = pending.pop()
        is_mapping = isinstance(holder, dict)
        secret_slots: set[Any] = _secret_keys(holder) if is_mapping else _arguments(holder)
        for slot, child in holder.items() if is_mapping else enumerate(_without_keys(holder)):
            is_secret = below_secret or slot in secret_slots
            if isinstance(child, dict):
                holder[slot] = {redact(key): item for key, item in child.items()}
                pending.append((holder[slot], is_secret))
            elif isinstance(child, list):
                holder[slot] = child.copy()
                pending.append((holder[slot], is_secret))
            elif is_secret and child is not None and not isinstance(child, bool):
                holder[slot] = REDACTED
            elif isinstance(child, str):
                holder[slot] = redact(child)
    return root[0]


def _merged(secrets: Iterable[Span]) -> list[Span]:
    """Return parts of a text in order; those that overlap or touch are one."""
    merged: list[Span] = []
    for start, stop in sorted(secrets):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
        else:
            merged.append((start, stop))
    return merged


def _cut(text: str, secrets: Iterable[Span]) -> str:
    """Replace some parts of a text; parts that overlap or touch are one."""
    kept: list[str] = []
    end = 0
    for start, stop in _merged(secrets):
        kept.append(text[end:start])
        end = stop
    if not kept:
        return text
    kept.append(text[end:])
    return REDACTED.join(kept)


def _without_key_lines(lines: list[str]) -> list[str]:
    """Return the lines of one stream or list without the private keys that lie on several of them."""
    shown = lines.copy()
    spans: defaultdict[int, list[Span]] = defaultdict(list)
    for number, span in find_key_lines(lines):
        spans[number].append(span)
    for number, of_line in spans.items():
        shown[number] = _cut(lines[number], of_line)
    return shown


def _without_keys(items: list[Json]) -> list[Json]:
    if sum(isinstance(item, str) for item in items) < 2:
        return items
    lines = _without_key_lines([item if isinstance(item, str) else "" for item in items])
    return [line if isinstance(item, str) else item for item, line in zip(items, lines, strict=True)]


def _secret_keys(mapping: dict[str, Json]) -> set[str]:
    keys = {key for key, item in mapping.items() if is_sensitive(key, item)}
    names = [item for key, item in mapping.items() if key.lower().endswith(("name", "key")) and isinstance(item, str)]
    if names:
        values = [key for key in mapping if key.lower().endswith("value")]
        keys.update(key for key in values if any(is_sensitive(name, mapping[key]) for name in names))
    return keys


def _arguments(items: list[Json]) -> set[int]:
    """Return the places of a list at which the argument of a sensitive option is."""
    return {
        place
        for place, (option, argument) in enumerate(pairwise(items), 1)
        if isinstance(option, str) and option.startswith("-") and is_option(option, argument)
        if isinstance(argument, str | int | float | Decimal) and not str(argument).startswith("-")
    }
