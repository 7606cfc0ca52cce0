"""Names whose values are secrets, as logs, settings, headers and query parameters spell them.

The first are those that VAMS redacts. The others are names that the keyword plugin of detect-secrets looks for, less
those that name no secret in VAMS (such as `client_key`), and the parameters by which presigned URLs are signed.
"""

import re
from collections import defaultdict
from itertools import product

from graph.logs.invisible import Visible

# A hyphen stands for "nothing, hyphen or underscore", so that one spelling covers camel, snake and kebab case. A name
# is the tail of what is written: `externalSfnTaskToken` is a task token.
NAMES_OF_VAMS = (
    "authorization",
    "id-jwt-token",
    "credentials",
    "access-key-id",
    "secret-access-key",
    "session-token",
    "x-amz-security-token",
    "task-token",
)
NAMES = (
    *NAMES_OF_VAMS,
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret-key",
    "private-key",
    "priv-key",
    "api-key",
    "account-key",
    "shared-access-key",
    "auth-key",
    "signing-key",
    "encryption-key",
    "client-secret",
    "secret-string",
    "access-token",
    "refresh-token",
    "id-token",
    "auth-token",
    "api-token",
    "security-token",
    "vault-token",
    "private-token",
    "x-amz-signature",
    "x-goog-signature",
)
# Words that also stand before what is no secret (`token: 5`, `secret: yes`): the value has to look like a secret.
VAGUE_NAMES = ("token", "secret", "signature", *(f"{kind} key" for kind in ("api", "secret", "private", "access")))
# Also the end of words that name no secret.
_PASS = "pass(?![a-z])" + "".join(rf"(?<!{word}pass)" for word in ("by", "com", "sur", "tres", "over", "under", "band"))


def _any_spelling(names: tuple[str, ...]) -> str:
    # By first letters, so that one comparison passes over all names that begin with the same.
    tails: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        tails[name[0]].append(re.escape(name[1:]).replace(r"\-", "[_-]?").replace(r"\ ", "[ ]"))
    return "|".join(f"{first}(?:{'|'.join(same)})" for first, same in tails.items())


def _just_before(names: tuple[str, ...]) -> str:
    """Return a pattern of what stands before a position; lookbehinds have one width, so each spelling has its own."""
    spellings = (
        "".join(part + joint for part, joint in zip(parts, (*joints, ""), strict=True))
        for parts in (re.escape(name).split(r"\-") for name in names)
        for joints in product(("", "[_-]"), repeat=len(parts) - 1)
    )
    return "|".join(f"(?<={spelling})" for spelling in spellings)


VAGUE_NAME = f"{_any_spelling(VAGUE_NAMES)}|{_PASS}"
"""A pattern of a vague name in lower case."""

NAME = f"{_any_spelling((*NAMES, *VAGUE_NAMES))}|{_PASS}"
"""A pattern of any name in lower case."""

AFTER_NAME = _just_before((*NAMES, *VAGUE_NAMES[:3], "pass"))
"""A pattern of the position right after a name without spaces, in lower case."""

SUFFIX = (
    r"(?:[_-]?+(?:\d{1,4}+|old|new|confirm(?:ation)?+|prod(?:uction)?+|dev|stag(?:e|ing)|base64|b64))?+"
    r"(?:\.\$|\[[\w\"']{0,20}+\])?+"
)
"""A pattern of what may follow a name: a number, a stage, an index, the sign of a path in a state machine."""

_NAME_AT_END = re.compile(rf"(?:{_any_spelling(NAMES)}|(?P<vague>{VAGUE_NAME})){SUFFIX}(?:[_-]?value)?\Z")
_PATH = re.compile(r"[/~]|[A-Za-z]:[\\/]")
_NOT_SECRET = re.compile(r"(?:arn:|[\d.,:]*+\Z)", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]?[a-z]*+(?:[-_./][a-z]++)*+\W*+\Z")


def is_sensitive(name: str, value: object = None) -> bool:
    """Return whether a name says that its value is a secret; the value counts where the name is vague."""
    found = _NAME_AT_END.search(Visible(name).text.lower())
    if found is None or (isinstance(value, str) and is_reference(name, value)):
        return False
    return found["vague"] is None or (isinstance(value, str) and looks_secret(value, is_assigned=True))


def is_reference(name: str, value: str) -> bool:
    """Return whether a value names a directory, as `PWD` does, or a part of a state machine's input."""
    if name.endswith(".$"):
        return value.startswith("$")
    return name in ("PWD", "OLDPWD") and _PATH.match(value) is not None


def looks_secret(value: str, *, is_assigned: bool) -> bool:
    """Return whether what stands after a vague name can be a secret.

    A number, an ARN and a short text cannot; nor can a plain word, unless it is quoted or stands after an equals sign.
    """
    if len(value) < 6 or _NOT_SECRET.match(value):
        return False
    return is_assigned or not _WORD.match(value)
