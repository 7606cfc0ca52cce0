"""Bodies that were written to hurt, by name: the bytes, and headers beside the usual ones."""

import gzip
import json
import zlib

JSON = {"Content-Type": "application/json"}
GZIP = JSON | {"Content-Encoding": "gzip"}

_QUERY = b'{"query": "{ __typename }"}'
_FILTER = "query ($f: ExecutionFilter) { executions(filter: $f) { nodes { id } } }"
_IDS = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }"
_ENTITIES = """query ($these: [_Any!]!) {
    a: _entities(representations: $these) { ... on Execution { log { content } } }
    b: _entities(representations: $these) { ... on Asset { executions { nodes { id } } } }
}"""


def _with_variables(query: str, variables: bytes) -> bytes:
    return b'{"query": %s, "variables": %s}' % (json.dumps(query).encode(), variables)


BODIES: dict[str, tuple[bytes, dict[str, str]]] = {
    name: (body, JSON)
    for name, body in {
        "nothing": b"",
        "a string": b'"{ __typename }"',
        "a number": b"5",
        "null": b"null",
        "true": b"true",
        "a list": b"[]",
        "a batch": b"[" + b",".join([_QUERY] * 1_000) + b"]",
        "no query": b"{}",
        "a query that is null": b'{"query": null}',
        "a query that is a number": b'{"query": 5}',
        "a query that is an object": b'{"query": {"a": 1}}',
        "an empty query": b'{"query": ""}',
        "an operation name that is a number": b'{"query": "{ __typename }", "operationName": 5}',
        "variables that are a list": b'{"query": "{ __typename }", "variables": []}',
        "variables that are a string": b'{"query": "{ __typename }", "variables": "{}"}',
        "extensions that are a list": b'{"query": "{ __typename }", "extensions": []}',
        "bad UTF-8": b'{"query": "{ \xff }"}',
        "overlong UTF-8": b'{"query": "{ \xc0\xaf }"}',
        "UTF-16": '{"query": "{ __typename }"}'.encode("utf-16"),
        "a byte order mark alone": b"\xef\xbb\xbf",
        "two byte order marks": b"\xef\xbb\xbf" * 2 + _QUERY,
        "a lone surrogate": b'{"query": "{ a(b: \\"\\ud800\\") }"}',
        "a surrogate in a variable": _with_variables(_IDS, b'{"ids": ["\\udfff"]}'),
        "NaN": _with_variables(_FILTER, b'{"f": NaN}'),
        "Infinity": _with_variables(_FILTER, b'{"f": -Infinity}'),
        "a number beyond all": _with_variables(_FILTER, b'{"f": 1e999}'),
        "an integer of 100,000 digits": _with_variables(_FILTER, b'{"f": %s}' % (b"9" * 100_000)),
        "a page of many digits": _with_variables(
            "query ($n: Int) { executions(first: $n) { nodes { id } } }", b'{"n": 123456789012345678901234567890}'
        ),
        "lists 100,000 deep": b"[" * 100_000,
        "lists 100,000 deep that end": b"[" * 100_000 + b"]" * 100_000,
        "objects 100,000 deep": b'{"a":' * 100_000,
        "variables 900 deep": _with_variables(_FILTER, b'{"f": ' + b'{"workflow": ' * 900 + b"1" + b"}" * 901),
        "ids 900 deep": _with_variables(_IDS, b'{"ids": ' + b"[" * 900 + b"]" * 900 + b"}"),
        "ids by the hundred thousand": _with_variables(_IDS, b'{"ids": [' + b",".join([b'"x"'] * 100_000) + b"]}"),
        "ids by the ten thousand": _with_variables(_IDS, b'{"ids": [' + b",".join([b'"x"'] * 50_000) + b"]}"),
        "input fields that are not": _with_variables(
            _FILTER, json.dumps({"f": {f"a{number}": 1 for number in range(20_000)}}).encode()
        ),
        "enum values that are not": _with_variables(
            _FILTER, json.dumps({"f": {"status": ["FAILD"] * 50_000}}).encode()
        ),
        "a date that is a number": _with_variables(_FILTER, b'{"f": {"startedFrom": 5}}'),
        "a date that is no date": _with_variables(_FILTER, b'{"f": {"startedFrom": "yesterday"}}'),
        "keys again and again": b'{"query": "{ __typename }"' + b', "query": "{ x }"' * 10_000 + b"}",
        "prototypes": b'{"query": "{ x }", "__proto__": {"query": "{ __typename }"}, "constructor": 1}',
        "trailing bytes": _QUERY + b"}",
        "two values": _QUERY + _QUERY,
        "a comment": b"/* */" + _QUERY,
        "blanks by the megabyte": b" " * 1_000_000,
        "two megabytes": b'{"query": "' + b"x" * 2_000_000 + b'"}',
        "a form": b"query=%7B__typename%7D",
        "a persisted query that is none": b'{"extensions": {"persistedQuery": {"sha256Hash": "x"}}}',
    }.items()
} | {
    "text": (_QUERY, {"Content-Type": "text/plain"}),
    "no type": (_QUERY, {}),
    "a form by its type": (b"query={__typename}", {"Content-Type": "application/x-www-form-urlencoded"}),
    "a multipart": (b"--x\r\n\r\n--x--", {"Content-Type": "multipart/form-data; boundary=x"}),
    "another charset": (_QUERY, {"Content-Type": "application/json; charset=utf-7"}),
    "a charset that is none": (_QUERY, {"Content-Type": "application/json; charset=;;=,\x09"}),
    "an encoding that is not known": (_QUERY, JSON | {"Content-Encoding": "br"}),
    "encodings in encodings": (gzip.compress(gzip.compress(_QUERY)), JSON | {"Content-Encoding": "gzip, gzip"}),
    "gzip that is none": (_QUERY, GZIP),
    "gzip that breaks off": (gzip.compress(_QUERY)[:-9], GZIP),
    "gzip of gigabytes": (gzip.compress(b" " * 50_000_000), GZIP),
    "deflate in the place of gzip": (zlib.compress(_QUERY), GZIP),
    "a length that is a lie": (_QUERY, JSON | {"Content-Length": "9" * 40}),
    "a long request id": (b"{}", JSON | {"X-Request-Id": "x" * 50_000}),
    "a long Accept": (b"{}", JSON | {"Accept": "application/json;q=0.1," * 3_000}),
}

REPRESENTATIONS: dict[str, bytes] = {
    name: _with_variables(_ENTITIES, b'{"these": %s}' % these)
    for name, these in {
        "a number": b"5",
        "a text": b'"Execution"',
        "null": b"null",
        "a list of null": b"[null]",
        "lists 900 deep": b"[" * 900 + b"]" * 900,
        "one too many": b"[" + b",".join([b"1"] * 1_001) + b"]",
        "by the hundred thousand": b"[" + b",".join([b"1"] * 100_000) + b"]",
        "a type that is none": b'[{"__typename": "__Schema", "name": "x"}, {"__typename": "constructor"}]',
        "a type of 200,000 letters": b'[{"__typename": "%s"}]' % (b"x" * 200_000),
        "a key of 200,000 letters": b'[{"__typename": "Execution", "executionId": "%s"}]' % (b"0" * 200_000),
        "a key that is an operator": b'[{"__typename": "Execution", "executionId": {"$ne": null}}]',
        "a key 900 deep": b'[{"__typename": "Database", "databaseId": ' + b"[" * 900 + b"]" * 900 + b"}]",
        "a key that cannot be stored": b'[{"__typename": "Asset", "databaseId": "\\ud800", "assetId": "\\u0000"}]',
        "fields by the ten thousand": b'[{"__typename": "Database", "databaseId": "x", %s}]'
        % b", ".join(b'"f%d": %d' % (number, number) for number in range(10_000)),
        "prototypes": b'[{"__proto__": {"__typename": "Database"}, "databaseId": "plant-models"}]',
    }.items()
}
