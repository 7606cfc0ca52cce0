"""Removes credentials from log text before it leaves the server, in time linear in the text.

The names and shapes are those that VAMS redacts: bearer tokens, values of sensitive names (quoted, escaped, wrapped,
bare, or in name/value pairs of an environment), AWS identifiers and JSON Web Tokens.
"""

import re
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""What a JSON text or a DynamoDB item decodes to: dict, list, str, numbers (also Decimal), bool, None."""

REDACTED = "<redacted>"

# A hyphen stands for "nothing, hyphen or underscore", so that one spelling covers camel, snake and kebab case.
_SENSITIVE_NAMES = (
    "authorization",
    "id-jwt-token",
    "credentials",
    "access-key-id",
    "secret-access-key",
    "session-token",
    "x-amz-security-token",
    "task-token",
)
# Every sensitive name, and bearer, holds one of these: a text without any needs no closer look.
_HINTS = ("token", "access", "bearer", "credentials", "authorization")


def redact(text: str) -> str:
    """Replace each credential in a text by `<redacted>`.

    Redact before cutting to a length. What was cut already is found too: a quote that never closes reaches to the end
    of the text. The same object comes back when nothing had to be replaced.
    """
    # The one letter whose lower case is longer goes first, so that both texts have the same offsets.
    lowered = text.replace("\u0130", "i").lower()
    if any(hint in lowered for hint in _HINTS):
        text = _redact_named(text, lowered)
    if ".eyJ" in text:
        text = _redact_json_web_tokens(text)
    return _AWS_IDENTIFIER.sub(REDACTED, text)


def redact_json(value: Json) -> Json:
    """Copy a JSON value with its strings and keys redacted.

    All strings and numbers below a sensitive key are replaced whole, and so is the value of a name/value pair whose
    name is sensitive. Nulls and booleans stay, for they hold no secret and often tell what went wrong.
    """
    root = [value]
    # Copies whose slots still hold what the caller gave, each with "lies below a sensitive key". A list instead of
    # recursion, because the depth is the sender's choice.
    pending: list[tuple[Json, bool]] = [(root, False)]
    while pending:
        holder, below_secret = pending.pop()
        is_mapping = isinstance(holder, dict)
        secret_keys = _secret_keys(holder) if is_mapping else set()
        for slot, child in holder.items() if is_mapping else enumerate(holder):
            is_secret = below_secret or slot in secret_keys
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


_QUOTE = r"""\\*+["']"""  # escaped to any depth
_SPACE = r"(?:\s|\\++[nrt])*+"  # also the line ends of indented JSON within a JSON string
_SEPARATOR = rf"{_SPACE}[:=]++>?+{_SPACE}"
_NAME = "|".join(name.replace("-", "[_-]?") for name in _SENSITIVE_NAMES)

# All that stands before a secret. Possessive quantifiers throughout: a failed attempt never tries shorter repetitions.
_INTRODUCER = re.compile(
    rf"""
    (?:{_NAME}|bearer)  # the tail of a name
    (?:
      (?:{_QUOTE})?+
      (?:{_SPACE},{_SPACE}(?:{_QUOTE})?+value(?:{_QUOTE})?+)?+  # "Name": "TASK_TOKEN", "Value":
      {_SEPARATOR}
      (?:\{{{_SPACE}(?:{_QUOTE}[\w.-]++{_QUOTE}{_SEPARATOR})?+|[\[(]{_SPACE}){{0,4}}+  # wrappers such as {{"String":
      (?:(?:basic|bearer|digest|negotiate)\s++)?+  # the scheme of an authorization
    |
      (?<=bearer)\s++
    )
    ((?:[bu]?+{_QUOTE})?+)  # the opening of the value
    """,
    re.VERBOSE,
)

# The secret. A quote closes the value unless it is escaped more deeply than the opening one: with n backslashes before
# the opening quote, n + 1 backslashes encode the one that starts an escape, and n precede the quote that it escapes.
_VALUE = re.compile(
    r"""
    (?:[bu]?+(?P<depth>\\*+)(?P<quote>["']))?+
    (?(quote)
      (?:
        [^\\"']++
      | (?!(?P=quote))["']
      | (?P=depth)\\(?:(?P=depth)(?:\\|(?P=quote)))?+
      | \\++(?!(?P=quote))
      )++
    |
      (?![]})])(?:[^\s,;&"'\\]++|\\++(?!["']))++
    )
    """,
    re.VERBOSE,
)

_SENSITIVE_NAME = re.compile(rf"(?:{_NAME})\Z")
_AWS_IDENTIFIER = re.compile(r"A(?:KIA|SIA|IDA|ROA|NPA|IPA|BIA|CCA)[A-Z0-9]{16,}+")
# The second part is optional to consume a failed first part whole: it may hold many more beginnings.
_JSON_WEB_TOKEN = re.compile(r"(eyJ[A-Za-z0-9_-]*+)(\.eyJ[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]*+)*+)?+")


def _redact_named(text: str, lowered: str) -> str:
    kept: list[str] = []
    end = 0
    value_at = _VALUE.match
    for introducer in _INTRODUCER.finditer(lowered):
        start = introducer.end()
        # What begins before the end is inside a value that is already cut out.
        if start >= end and (value := value_at(lowered, introducer.start(1))):
            kept.append(text[end:start])
            end = value.end()
    if not kept:
        return text
    kept.append(text[end:])
    return REDACTED.join(kept)


def _redact_json_web_tokens(text: str) -> str:
    pieces = _JSON_WEB_TOKEN.split(text)  # other text, first part, further parts or None, other text, ...
    claims = pieces[2::3]
    if not any(claims):
        return text
    pieces[1::3] = [REDACTED if found else header for header, found in zip(pieces[1::3], claims, strict=True)]
    pieces[2::3] = [""] * len(claims)
    return "".join(pieces)


def _secret_keys(mapping: dict[str, Json]) -> set[str]:
    keys = {key for key in mapping if _is_sensitive(key)}
    names = (item for key, item in mapping.items() if key.lower() in ("name", "key"))
    if any(isinstance(name, str) and _is_sensitive(name) for name in names):
        keys |= {key for key in mapping if key.lower() == "value"}
    return keys


def _is_sensitive(name: str) -> bool:
    return _SENSITIVE_NAME.search(name.lower()) is not None
