"""The requests: derived from the schema, the documents of front ends, the pages of docs, and the hostile set."""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLOutputType,
    get_named_type,
    is_leaf_type,
    is_required_argument,
)

from graph.demo.insides import INSIDES_ID
from graph.demo.permissions import ADMIN, ANA, API_KEY_OF, BOB, NOBODY, READER
from graph.demo.samples import SAMPLE_EXECUTION_ID, SAMPLE_STEP_IDS
from graph.documents.trusted import sha256
from graph.tables import ids
from tests.harness import SCHEMA
from tests.hostile.bodies import BODIES
from tests.hostile.documents import ADMITTED, INTROSPECTION, REFUSED
from tests.http.test_limits import EXAMPLES

GATEWAY_SECRET = "a secret of the supergraph's gateway"
JSON = "application/json"
LAST_CURSOR = "the endCursor of the answer before"
"""In a body, stands for that."""
NEWER = "application/graphql-response+json"
WHO = "{ viewer { userId } }"


@dataclass(frozen=True)
class Recorded:
    """One request, by a name that tells what it is about."""

    name: str
    method: str = "POST"
    target: str = "/graphql"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    environment: str = "production"
    document: str | None = None
    """The text in the body of what was derived from the schema or from examples."""


def posted(
    name: str,
    query: str,
    variables: Mapping[str, Any] | None = None,
    *,
    user: str = ADMIN,
    accept: str = NEWER,
    headers: Mapping[str, str] | None = None,
    environment: str = "production",
    **rest: Any,
) -> Recorded:
    """A query by POST."""
    sent = {"query": query, **({"variables": dict(variables)} if variables else {}), **rest}
    given = {"Content-Type": JSON, "Accept": accept, **_key(user), **(headers or {})}
    return Recorded(name, headers=given, body=json.dumps(sent).encode(), environment=environment, document=query)


def _key(user: str) -> dict[str, str]:
    return {"Authorization": API_KEY_OF[user]} if user in API_KEY_OF else {}


def requests() -> Iterator[Recorded]:
    """All of them."""
    yield from _examples()
    yield from _types()
    yield from _fields()
    yield from _visits()
    yield from _filters()
    yield from _arguments_of_fields()
    yield from _pages()
    yield from _walks()
    yield from _nodes()
    yield from _federation()
    yield from _persisted()
    yield from _media_types()
    yield from _callers()
    yield from _methods()
    yield from _bodies()
    yield from _operations()
    yield from _hostile()


USERS = (ADMIN, ANA, BOB, READER, NOBODY)


def _examples() -> Iterator[Recorded]:
    """What front ends and docs ask, by every user, with and without what it cost."""
    for name, (query, variables) in sorted(EXAMPLES.items()):
        for user in USERS:
            yield posted(f"example {name!r} by {user}", query, variables, user=user)
        yield posted(f"example {name!r} with its cost", query, variables, headers={"GraphQL-Cost": "1"})
        yield posted(
            f"example {name!r} of {BOB} with its cost", query, variables, user=BOB, headers={"GraphQL-Cost": "1"}
        )


_DEPTH = 2
_FOUND = {
    "executionId": SAMPLE_EXECUTION_ID,
    "databaseId": "plant-models",
    "assetId": "pump-station",
    "workflowId": "convert-qa-thumb",
    "pipelineId": "mesh-convert",
    "groupId": "batch-2026-07",
    "id": "not an id",
}


def _arguments(one: Any) -> str | None:
    """The arguments that a field requires; None where it requires one that nobody here can give."""
    given = []
    for name, argument in one.args.items():
        if is_required_argument(argument):
            if name not in _FOUND:
                return None
            given.append(f"{name}: {json.dumps(_FOUND[name])}")
    return f"({', '.join(given)})" if given else ""


def _selection(kind: GraphQLOutputType, depth: int) -> str:
    """Everything of a type down to some depth, lists short."""
    named = get_named_type(kind)
    if is_leaf_type(named):
        return ""
    if not isinstance(named, GraphQLObjectType):
        return " { __typename ... on Execution { executionId } }"
    parts = ["__typename"]
    for name, one in named.fields.items():
        arguments = _arguments(one)
        if arguments is None or (depth == 0 and not is_leaf_type(get_named_type(one.type))):
            continue
        if "first" in one.args:
            arguments = "(first: 2)"
        parts.append(name + arguments + _selection(one.type, depth - 1))
    return " { " + " ".join(parts) + " }"


def _types() -> Iterator[Recorded]:
    """Each root, with everything below it."""
    query = SCHEMA.core.query_type
    assert query is not None
    for name, one in query.fields.items():
        arguments = _arguments(one)
        if arguments is None:
            continue
        if "first" in one.args:
            arguments = f"({arguments.strip('()')}{', ' if arguments else ''}first: 2)"
        for user in USERS:
            yield posted(
                f"everything of {name} by {user}", f"{{ {name}{arguments}{_selection(one.type, _DEPTH)} }}", user=user
            )


_OF_EXECUTION = f'execution(executionId: "{SAMPLE_EXECUTION_ID}")'


def _fields() -> Iterator[Recorded]:
    """Each field of an execution and of its steps alone, deeper than everything at once may go."""
    execution = SCHEMA.core.type_map["Execution"]
    step = SCHEMA.core.type_map["PipelineExecution"]
    assert isinstance(execution, GraphQLObjectType)
    assert isinstance(step, GraphQLObjectType)
    for name, one in execution.fields.items():
        arguments = "(first: 3)" if "first" in one.args else _arguments(one)
        if arguments is not None:
            selected = f"{name}{arguments}{_selection(one.type, _DEPTH + 1)}"
            yield posted(f"Execution.{name}", f"{{ {_OF_EXECUTION} {{ {selected} }} }}")
            yield posted(f"Execution.{name} by {BOB}", f"{{ {_OF_EXECUTION} {{ {selected} }} }}", user=BOB)
    for name, one in step.fields.items():
        arguments = "(first: 3)" if "first" in one.args else _arguments(one)
        if arguments is not None:
            selected = f"pipelineExecutions(first: 3) {{ nodes {{ {name}{arguments}{_selection(one.type, _DEPTH)} }} }}"
            yield posted(f"PipelineExecution.{name}", f"{{ {_OF_EXECUTION} {{ {selected} }} }}")


def _filters() -> Iterator[Recorded]:
    """Each value of each field of a list's filter."""
    kind = SCHEMA.core.type_map["ExecutionFilter"]
    assert isinstance(kind, GraphQLInputObjectType)
    values: dict[str, list[Any]] = {
        "ID": ["convert-qa-thumb", ""],
        "String": ["convert-qa-thumb", "none"],
        "Boolean": [True, False],
    }
    values["DateTime"] = ["2026-06-15T00:00:00.000Z", "yesterday"]
    values["WorkflowRef"] = [
        {"databaseId": "plant-models", "workflowId": "convert-qa-thumb"},
        {"databaseId": "GLOBAL"},
        "x",
    ]
    query = """query ($filter: ExecutionFilter) {
      executions(filter: $filter, first: 3) { nodes { executionId status } pageInfo { hasNextPage endCursor } }
    }"""
    for name, one in kind.fields.items():
        named = get_named_type(one.type)
        given = list(named.values) if isinstance(named, GraphQLEnumType) else values.get(named.name, ["x"])
        for value in given:
            for shape in (value, [value]):
                yield posted(f"filter {name}: {shape}", query, {"filter": {name: shape}})
            yield posted(f"filter {name}: {value} by {ANA}", query, {"filter": {name: value}}, user=ANA)


_PARENTS = {
    "Execution": _OF_EXECUTION,
    "PipelineExecution": f"pipelineExecution(pipelineExecutionId: {json.dumps(SAMPLE_STEP_IDS[0])})",
    "Workflow": 'workflow(databaseId: "plant-models", workflowId: "convert-qa-thumb")',
    "ExecutionGroup": 'executionGroup(groupId: "batch-2026-07")',
    "Asset": 'asset(databaseId: "plant-models", assetId: "pump-station")',
}
_GIVEN: dict[str, list[Any]] = {
    "String": ["ERROR", "nothing has this", "?", ""],
    "[String!]": [["TaskStateEntered"], ["NoSuchEvent"], []],
    "DateTime": ["2026-07-01T00:00:00.000Z", "2000-01-01T00:00:00.000+14:00", "2026-07-01T00:00:00Z", "today"],
    "AssetRef": [{"databaseId": "plant-models", "assetId": "pump-station"}, {"databaseId": "x", "assetId": "y"}],
    "ExecutionFilter": [{}, {"status": ["FAILED"]}, {"triggeredBy": ANA}, {"startedFrom": "2026-07-01T00:00:00.000Z"}],
}


def _arguments_of_fields() -> Iterator[Recorded]:
    """Each argument of each field of what has a way to it, good and bad, and its list from both ends."""
    for parent, way in _PARENTS.items():
        kind = SCHEMA.core.type_map[parent]
        assert isinstance(kind, GraphQLObjectType)
        for field_name, one in kind.fields.items():
            for name, argument in one.args.items():
                named = get_named_type(argument.type)
                given = list(named.values) if isinstance(named, GraphQLEnumType) else _GIVEN.get(str(argument.type))
                if name in ("first", "last"):
                    given = [1, -1, 100_000]
                for value in given or ["x"]:
                    query = f"""query ($value: {argument.type}) {{
                      {way} {{ {field_name}({name}: $value){_selection(one.type, 1)} }}
                    }}"""
                    yield posted(f"{parent}.{field_name}({name}: {value})", query, {"value": value})


def _visits() -> Iterator[Recorded]:
    """The visits of stages, which lie deeper than everything of an execution."""
    visit = SCHEMA.core.type_map["StageVisit"]
    assert isinstance(visit, GraphQLObjectType)
    query = f"""query ($id: String!) {{
      execution(executionId: $id) {{ engineExecution {{ stages(first: 3) {{ nodes {{
        name mapRun {{ arn redriveCount statusWarning {{ code }} counts {{ total running failed timedOut }} }}
        visits(first: 2) {{ edges {{ cursor node {_selection(visit, 1)} }} pageInfo {{ hasNextPage endCursor }}
          warnings {{ code message subject {{ id }} }} }}
      }} }} }} }}
    }}"""
    for user in USERS:
        for execution in (SAMPLE_EXECUTION_ID, INSIDES_ID):
            yield posted(f"the visits of {execution[:4]} by {user}", query, {"id": execution}, user=user)
    children = """query ($id: String!) {
      execution(executionId: $id) { pipelineExecutions(first: 3) { nodes { subExecutions(first: 3) { nodes {
        stages { nodes { mapRun { id arn status statusWarning { code } startedAt stoppedAt stage { name }
          execution(name: "none") { id }
          executions(first: 2, status: [FAILED, ABORTED]) {
            edges { cursor node { id name status stages { nodes { id status } } parentMapRun { id } } }
            nodes { name } pageInfo { hasNextPage endCursor } shortPageReason warnings { code }
          } } } }
      } } } } }
    }"""
    for user in USERS:
        yield posted(f"what the Maps of a run started by {user}", children, {"id": INSIDES_ID}, user=user)
    iterations = """query ($id: String!) {
      execution(executionId: $id) { pipelineExecutions(first: 3) { nodes { subExecutions(first: 3) { nodes {
        engineExecution { stages(first: 10) { nodes { name iterationRuns(first: 2) {
          edges { cursor node { index status error failedStage { name error } } }
          pageInfo { hasNextPage endCursor } warnings { code }
        } } } }
      } } } } }
    }"""
    for user in USERS:
        yield posted(f"the iterations of the machines of a run by {user}", iterations, {"id": INSIDES_ID}, user=user)


def _walks() -> Iterator[Recorded]:
    """Pages one after another, each from where the one before it ended."""
    page = "(first: 3, after: $after) { nodes { __typename } pageInfo { hasNextPage endCursor } }"
    lists = {
        "executions": f"executions{page}",
        "executions of an asset": f"{_PARENTS['Asset']} {{ executions{page} }}",
        "executions of a workflow": f"{_PARENTS['Workflow']} {{ executions{page} }}",
        "output files": f"{_OF_EXECUTION} {{ outputFiles{page} }}",
    }
    for name, field_text in lists.items():
        query = f"query ($after: String) {{ {field_text} }}"
        for user in (ADMIN, ANA, BOB):
            yield posted(f"page 1 of {name} by {user}", query, user=user)
            for number in range(2, 6):
                yield posted(f"page {number} of {name} by {user}", query, {"after": LAST_CURSOR}, user=user)
            yield posted(f"{name} by {READER} after a cursor of {user}", query, {"after": LAST_CURSOR}, user=READER)


def _pages() -> Iterator[Recorded]:
    """Sizes and directions, good and bad."""
    sizes: list[dict[str, Any]] = [{"first": size} for size in (0, 1, 7, 100, 101, -1, None)]
    sizes += [{"last": 1}, {"last": 3}, {"first": 1, "last": 1}, {"first": 2, "after": "x"}, {"last": 2, "before": ""}]
    sizes += [{"after": None}]
    query = """query ($first: Int, $last: Int, $after: String, $before: String) {
      executions(first: $first, last: $last, after: $after, before: $before) {
        edges { cursor node { executionId } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }"""
    for size in sizes:
        for user in (ADMIN, BOB):
            yield posted(f"page {size} by {user}", query, size, user=user)


def _nodes() -> Iterator[Recorded]:
    """Global ids, good and bad, alone and together."""
    by_kind = {
        "an execution": ids.encode("Execution", SAMPLE_EXECUTION_ID, "plant-models:convert-qa-thumb"),
        "a step": ids.encode("PipelineExecution", SAMPLE_STEP_IDS[0], SAMPLE_EXECUTION_ID),
        "an asset": ids.encode("Asset", "plant-models", "pump-station"),
        "a database": ids.encode("Database", "plant-models"),
        "no execution": ids.encode("Execution", "none", "plant-models:convert-qa-thumb"),
        "no kind": ids.encode("Nothing", "x"),
        "no id": "x",
        "nothing": "",
    }
    alone = "query ($id: ID!) { node(id: $id) { __typename id ... on Execution { status } ... on Asset { name } } }"
    together = "query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Database { description } } }"
    for user in (ADMIN, ANA, BOB, READER):
        for kind, one in by_kind.items():
            yield posted(f"the node of {kind} by {user}", alone, {"id": one}, user=user)
        yield posted(f"nodes by {user}", together, {"ids": [*by_kind.values()] * 2}, user=user)
    yield posted("no nodes", together, {"ids": []})
    yield posted("more nodes than may be", together, {"ids": ["x"] * 1001})


def _federation() -> Iterator[Recorded]:
    """What gateways ask, and who is no gateway."""
    proof = {"X-Vams-Federation-Secret": GATEWAY_SECRET}
    entities = (
        "query ($these: [_Any!]!) { _entities(representations: $these) { __typename ... on Execution { status } } }"
    )
    kinds: tuple[dict[str, Any], ...] = (
        {"__typename": "Execution", "executionId": SAMPLE_EXECUTION_ID},
        {"__typename": "Execution", "executionId": "none"},
        {"__typename": "Execution"},
        {"__typename": "Nothing", "id": "1"},
        {"__typename": "Asset", "databaseId": "plant-models", "assetId": "pump-station"},
        {"__typename": "Database", "databaseId": "plant-models"},
    )
    for number, these in enumerate(kinds):
        for user in (ADMIN, BOB, NOBODY):
            yield posted(f"entity {number} by {user}", entities, {"these": [these]}, user=user, headers=proof)
        yield posted(f"entity {number} without proof", entities, {"these": [these]})
    yield posted("entities of all kinds", entities, {"these": list(kinds)}, headers=proof)
    yield posted("the definitions for a gateway", "{ _service { sdl } }", headers=proof)
    yield posted("the definitions for others", "{ _service { sdl } }")
    yield posted("a wrong proof", "{ _service { sdl } }", headers={"X-Vams-Federation-Secret": "wrong"})


def _persisted() -> Iterator[Recorded]:
    """Texts by their hashes."""
    text = "{ viewer { userId roles } kept: __typename }"

    def hashed(digest: str) -> dict[str, Any]:
        return {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": digest}}}

    def body(name: str, **sent: Any) -> Recorded:
        return Recorded(
            name, headers={"Content-Type": JSON, "Accept": NEWER, **_key(ADMIN)}, body=json.dumps(sent).encode()
        )

    yield body("a hash that is not known", **hashed(sha256("{ never: __typename }")))
    yield body("a text with its hash", query=text, **hashed(sha256(text)))
    yield body("the hash of a text that was kept", **hashed(sha256(text)))
    yield body("a text with another hash", query=text, **hashed(sha256("x")))
    yield body("a hash of another version", extensions={"persistedQuery": {"version": 2, "sha256Hash": sha256(text)}})
    yield body("an id", documentId=sha256(text))
    yield body("an id with a text", documentId="x", query=text)
    yield body("an id that is no text", documentId=7)


def _media_types() -> Iterator[Recorded]:
    """Media types of answers."""
    accepts = (JSON, NEWER, "*/*", "application/*", "text/html", f"{JSON};q=0", f"{NEWER};q=0.5, {JSON}", "")
    texts = (
        WHO,
        "{ nothing }",
        "{ viewer",
        "",
        '{ execution(executionId: "none") { status } }',
        "mutation { x }",
        "subscription { x }",
    )
    for accept in accepts:
        for text in texts:
            yield posted(f"accept {accept!r} for {text!r}", text, accept=accept)


def _callers() -> Iterator[Recorded]:
    """Who asks."""
    for user in (*USERS, "nobody at all"):
        for environment in ("production", "development"):
            yield posted(
                f"who is {user} in {environment}", "{ viewer { userId roles } }", user=user, environment=environment
            )
    for credentials in (
        "Bearer x",
        "Bearer a.b.c",
        "vams_unknown",
        "Basic eDp5",
        "Bearer",
        " ",
        "vams_demo_bob, vams_demo_ana",
    ):
        yield posted(f"credentials {credentials!r}", WHO, headers={"Authorization": credentials})


def _methods() -> Iterator[Recorded]:
    """Methods and targets."""
    for headers in (
        {},
        {"GraphQL-Require-Preflight": "1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-origin"},
    ):
        for environment in ("production", "development"):
            target = f"/graphql?{urlencode({'query': WHO})}"
            yield Recorded(
                f"GET with {headers} in {environment}", "GET", target, {**headers, **_key(ADMIN)}, b"", environment
            )
    for method in ("GET", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"):
        for target in ("/graphql", "/graphql/", "/", "/healthz", "/nothing", "/explorer"):
            yield Recorded(f"{method} {target}", method, target, {"Accept": JSON})


def _bodies() -> Iterator[Recorded]:
    """Codings and types of bodies."""
    packed = json.dumps({"query": WHO}).encode()
    for name, body, extra in (
        ("gzip", gzip.compress(packed, mtime=0), {"Content-Encoding": "gzip"}),
        (
            "two members of gzip",
            gzip.compress(packed[:9], mtime=0) + gzip.compress(packed[9:], mtime=0),
            {"Content-Encoding": "gzip"},
        ),
        ("no gzip", packed, {"Content-Encoding": "gzip"}),
        ("another coding", packed, {"Content-Encoding": "br"}),
        ("a mark of byte order", b"\xef\xbb\xbf" + packed, {}),
        ("another type", packed, {"Content-Type": "text/plain"}),
        ("another charset", packed, {"Content-Type": f"{JSON}; charset=latin-1"}),
        ("no type", packed, {"Content-Type": ""}),
        ("an answer in gzip", packed, {"Accept-Encoding": "gzip"}),
    ):
        yield Recorded(
            f"a body with {name}", headers={"Content-Type": JSON, "Accept": NEWER, **_key(ADMIN), **extra}, body=body
        )


def _operations() -> Iterator[Recorded]:
    """Several operations in a document, and conditions in one."""
    for given in ({"operationName": "A"}, {"operationName": "C"}, {}, {"operationName": None}, {"operationName": ""}):
        yield posted(f"which operation: {given}", "query A { a: __typename } query B { b: __typename }", **given)
    for kept in ("true", "false"):
        query = f"query ($on: Boolean = {kept}) {{ viewer {{ userId @include(if: $on) roles @skip(if: $on) }} }}"
        for variables in ({}, {"on": True}, {"on": False}, {"on": None}, {"on": "x"}):
            yield posted(f"conditions by default {kept} with {variables}", query, variables)


def _hostile() -> Iterator[Recorded]:
    """What was written to hurt."""
    for name, text in {**REFUSED, **ADMITTED, **INTROSPECTION}.items():
        yield posted(f"hostile {name}", text)
    for name, (body, headers) in BODIES.items():
        yield Recorded(f"hostile body {name}", headers={"Accept": NEWER, **_key(ADMIN), **headers}, body=body)
